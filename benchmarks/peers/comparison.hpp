#pragma once
/// A table of times beside another library's, on the same robot and states, in one run.
///
/// Results are compared first; a difference above 1e-9 of the largest number ends the program. Times
/// are the least CPU time of the thread over many short repetitions, ours and the peer's in turn,
/// every call with another state of the pool. The fastest peer and way count; without a peer in the
/// build only ours are shown.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "peers/peer.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {

/// The robot as a peer wants it; empty where it has a joint that peers are not asked for.
inline std::vector<PeerBody> peer_bodies(const Model<double>& model) {
  std::vector<PeerBody> bodies(static_cast<std::size_t>(model.n_bodies()));
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& from = model.body(i);
    PeerBody& to = bodies[static_cast<std::size_t>(i)];
    to.parent = from.parent;
    to.axis_code = from.axis_code;
    switch (from.kind) {
      case JointKind::revolute:
      case JointKind::continuous:
        to.kind = PeerBody::revolute;
        break;
      case JointKind::prismatic:
        to.kind = PeerBody::prismatic;
        break;
      case JointKind::spherical:
        to.kind = PeerBody::spherical;
        break;
      case JointKind::free:
        to.kind = PeerBody::free;
        break;
      default:
        return {};
    }
    const auto& [xx, xy, yy, xz, yz, zz] = from.inertia.J;
    std::copy_n(std::begin({xx, xy, yy, xz, yz, zz}), 6, to.J);
    to.m = from.inertia.m;
    for (int r = 0; r < 3; ++r) {
      to.axis[r] = from.turn.c2[r];
      to.p[r] = from.placement.p[r];
      to.h[r] = from.inertia.h[r];
      for (int c = 0; c < 3; ++c) to.R[3 * c + r] = from.placement.R(r, c);
    }
  }
  return bodies;
}

/// A robot of rigid bodies alone, as peers are told of it, its pool of random states, and the peers.
struct Case {
  static constexpr int states = 64;

  std::string robot;
  Model<double> model;
  std::vector<std::vector<double>> q, qd, x;
  std::vector<double> out;  ///< room for any result
  std::vector<std::unique_ptr<Peer>> peers;

  explicit Case(const std::string& name, bool with_peers = true)
      : robot(name), model(with_effects(load_robot(name), Effects::none())), out(room(model)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    std::vector<Peer* (*)(const PeerBody*, int, const double*)> makers;
#ifdef TORSOR_PEER_PINOCCHIO
    makers.push_back(make_pinocchio);
#endif
#ifdef TORSOR_PEER_RBDL
    makers.push_back(make_rbdl);
#endif
#ifdef TORSOR_PEER_KDL
    makers.push_back(make_kdl);
#endif
#ifdef TORSOR_PEER_MUJOCO
    makers.push_back(make_mujoco);
#endif
    const std::vector<PeerBody> bodies = peer_bodies(model);
    if (with_peers && !bodies.empty())
      for (const auto make : makers)
        if (Peer* peer = make(bodies.data(), model.n_bodies(), &model.gravity().x))
          peers.emplace_back(peer);
    for (unsigned k = 0; k < states; ++k) {
      q.emplace_back(static_cast<std::size_t>(model.n_q()));
      random_configuration(model, k, q.back());
      for (auto* pool : {&qd, &x}) {
        pool->emplace_back(static_cast<std::size_t>(model.n_v()));
        for (double& e : pool->back()) e = draw(engine);
      }
      for (const auto& peer : peers)
        peer->add_state(q.back().data(), qd.back().data(), x.back().data());
    }
  }
  MatrixView<double> square() { return column_major(out.data(), model.n_v(), model.n_v()); }

 private:
  static std::size_t room(const Model<double>& model) {
    const auto n_v = static_cast<std::size_t>(model.n_v());
    return std::max(n_v * 10, 2 * n_v + 12) * static_cast<std::size_t>(model.n_bodies());
  }
};

namespace detail {

inline double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
/// ns per call over one round of the states, or a few where a round is short.
template <class Call>
double time_of(int rounds, Call call) {
  const double start = cpu_time();
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < Case::states; ++k) call(k);
  return (cpu_time() - start) / (rounds * Case::states);
}

}  // namespace detail

/// Nothing to do: the results are in c.out already.
struct AsTheyAre {
  void operator()() const {}
};

/// Times of a verb, in ns per call.
struct Times {
  struct Library {
    std::string name;
    double ns = 1e300;  ///< of its fastest way
  };
  double ours = 1e300;
  std::vector<Library> libraries{};  ///< that have the verb
  double difference = 0;             ///< of the results, over the largest number
};

/// ours(k) leaves its `size` numbers in c.out, in the order of peer.hpp; or show() brings them there
/// from a workspace, outside the time that is taken.
template <class Ours, class Show = AsTheyAre>
Times measure(Case& c, const std::string& name, PeerVerb verb, int size, Ours ours, Show show = {},
              int repetitions = 300) {
  Times times;
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> theirs(n);
  for (const auto& peer : c.peers)
    for (int call = 0; call < peer->ways(verb) * Case::states; ++call) {
      const int k = call % Case::states;
      ours(k);
      show();
      peer->call(verb, call / Case::states, k);
      peer->read(verb, theirs.data());
      double off = 0, scale = 0;
      for (std::size_t e = 0; e < n; ++e) {
        off = std::max(off, std::abs(theirs[e] - c.out[e]));
        scale = std::max(scale, std::abs(theirs[e]));
      }
      times.difference = std::max(times.difference, scale > 0 ? off / scale : off);
      if (!(times.difference < 1e-9)) {
        std::printf("%s differs from %s by %g\n", name.c_str(), peer->name(), times.difference);
        std::exit(1);
      }
    }
  for (const auto& peer : c.peers)
    if (peer->ways(verb) > 0) times.libraries.push_back({peer->name()});
  const int rounds = static_cast<int>(std::clamp(2e5 / (64 * detail::time_of(1, ours)), 1.0, 50.0));
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    times.ours = std::min(times.ours, detail::time_of(rounds, ours));
    for (const auto& peer : c.peers)
      for (int way = 0; way < peer->ways(verb); ++way) {
        const double t = detail::time_of(rounds, [&](int k) { peer->call(verb, way, k); });
        for (Times::Library& library : times.libraries)
          if (library.name == peer->name()) library.ns = std::min(library.ns, t);
      }
  }
  return times;
}

/// One line of the table, beside the fastest peer.
/// `asked`: part of the line's name, from the command line; other lines are left out.
template <class Ours, class Show = AsTheyAre>
void compare(Case& c, const std::string& verb_name, PeerVerb verb, int size, Ours ours,
             const std::string& asked = "", Show show = {}) {
  const std::string name = verb_name + "/" + c.robot;
  if (name.find(asked) == std::string::npos) return;
  const Times times = measure(c, name, verb, size, ours, show);
  std::printf("%-40s %9.1f", name.c_str(), times.ours);
  const auto best = std::min_element(times.libraries.begin(), times.libraries.end(),
                                     [](const auto& a, const auto& b) { return a.ns < b.ns; });
  if (best != times.libraries.end())
    std::printf(" %9.1f %7.3f %9.0e  %s", best->ns, times.ours / best->ns, times.difference,
                best->name.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

inline void print_heading() {
  std::printf("%-40s %9s %9s %7s %9s  %s\n", "ns per call, one thread", "torsor", "peer", "ratio",
              "differ by", "fastest peer");
}

}  // namespace torsor
