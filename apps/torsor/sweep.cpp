#include "torsor/batch/rollout.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "command.hpp"
#include "interrupt.hpp"
#include "on_ranks.hpp"
#include "output_file.hpp"
#include "print.hpp"
#include "robot_argument.hpp"
#include "run_table.hpp"
#include "sweep_report.hpp"
#include "text_output.hpp"
#include "torsor/experiments/internal/sweep_cases.hpp"
#include "torsor/experiments/internal/sweep_ranks.hpp"
#include "torsor/experiments/sweep_journal.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct SweepArguments {
  std::string scenario, journal, page;
  std::vector<std::string> package_folders;
  std::optional<long> samples, sample;
  std::optional<std::uint64_t> seed;
  int threads = 0;
  bool restart = false, json = false, force = false, meshes = false;
};

class ProgressBar {
 public:
  ProgressBar(std::size_t before, std::size_t all) : before_(before), done_(before), all_(all) {
    show();
  }
  ~ProgressBar() { end_progress(); }
  void step() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    show();
  }

 private:
  void show() const {
    constexpr std::size_t width = 30;
    const std::size_t filled = all_ == 0 ? width : width * done_ / all_;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double rate = static_cast<double>(done_ - before_) / std::max(seconds, 1e-3);
    char tail[96];
    std::snprintf(tail, sizeof tail, "  %.3g runs/s, %.0f s left", rate,
                  rate > 0 ? static_cast<double>(all_ - done_) / rate : 0.0);
    progress("[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " +
             std::to_string(done_) + "/" + std::to_string(all_) + (done_ > before_ ? tail : ""));
  }

  std::size_t before_, done_, all_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), shown_{};
};

Sweep load_sweep(const SweepArguments& o) {
  const std::string text = read_text_file(o.scenario);
  Sweep s{load_run(o.scenario, o.package_folders),
          scenario_fingerprint(text, o.scenario, o.package_folders),
          o.journal,
          {}};
  if (s.scenario.sweep.empty())
    throw Error(one_line(o.scenario) + ": has no sweep: block (torsor sweep --help shows one)");
  if (o.samples) s.scenario.sweep.samples = *o.samples;
  if (o.seed) s.scenario.sweep.seed = *o.seed;
  if (s.journal.empty())
    s.journal = std::filesystem::path(o.scenario).stem().string() + ".sweep.csv";
  return s;
}

using internal::Ranks;

/// What ranks cannot do: one run, and a page that the same command makes from the journal.
void refuse_on_ranks(const SweepArguments& o) {
  if (o.sample) throw Error("--sample: is one run; start it without mpirun");
  if (!o.page.empty())
    throw Error("--report: comes afterwards, by the same command without mpirun");
}
/// A rank that is not the first: runs what it is given.
int follow(Ranks& ranks, const Sweep& s, const SweepArguments& o) {
  const Interrupt interrupt;
  SweepOptions options;
  options.threads = o.threads;
  options.stop = &interrupt.flag();
  (void)internal::run_sweep(ranks, s.scenario, {}, options);
  return good;
}

/// Runs what the journal does not hold yet.
void run_all(Sweep& s, const SweepArguments& o, Ranks* ranks) {
  SweepJournal journal(s.journal, s.fingerprint, s.scenario, o.restart);
  const long samples = s.scenario.sweep.samples;
  std::set<long> there;
  for (const SweepRow& row : journal.rows())
    if (row.sample.index < samples) {
      there.insert(row.sample.index);
      s.rows.push_back(row);
    }
  s.resumed = there.size();
  std::vector<long> missing;
  for (const long k : first_samples(samples))
    if (!there.contains(k)) missing.push_back(k);

  const Interrupt interrupt;
  ProgressBar bar(there.size(), static_cast<std::size_t>(samples));
  SweepOptions options;
  options.threads = o.threads;
  options.stop = &interrupt.flag();
  options.on_fewer_threads = [&](int threads) {
    remark("torsor: the system grants " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads") + "; the sweep goes on with them");
  };
  options.on_row = [&](const SweepRow& row) {
    journal.append(row);
    bar.step();
  };
  std::vector<SweepRow> added;
  if (ranks) {
    RankProgress lines;
    std::size_t count = 0;
    options.on_row = [&](const SweepRow& row) {
      journal.append(row);
      ++count;
    };
    bool told = false;
    added = internal::run_sweep(*ranks, s.scenario, missing, options, [&] {
      if (const double rate = static_cast<double>(count) / lines.seconds(); lines.due()) {
        const std::size_t done = there.size() + count;
        const double left = static_cast<double>(samples) - static_cast<double>(done);
        std::fprintf(stderr, "torsor: %zu of %ld runs, %d ranks, %.3g runs/s, %.0f s left\n", done,
                     samples, ranks->size(), rate, rate > 0 ? left / rate : 0.0);
      }
      if (told || !interrupt.asked()) return;
      told = true;  // at once: mpirun kills all a second after its signal
      std::fprintf(stderr,
                   "torsor: interrupted with %zu of %ld runs in the journal; waits for those under "
                   "way\n",
                   there.size() + count, samples);
    });
    lines.conclude(*ranks, std::to_string(added.size()) + " runs");
    ranks->leave();
  } else {
    try {
      added = run_sweep(s.scenario, missing, options);
    } catch (const WriteError&) {  // of the journal
      throw;
    } catch (const Error& error) {
      throw Error(one_line(o.scenario) + ": " + error.what());
    }
  }
  s.rows.insert(s.rows.end(), added.begin(), added.end());
  std::sort(s.rows.begin(), s.rows.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.sample.index < b.sample.index; });
}

/// What the file says, with the samples and the seed that count.
std::vector<RunFact> sweep_facts(const Sweep& s, const SweepArguments& o) {
  std::vector<RunFact> facts = page_facts(o.scenario, true);
  const std::vector<RunFact> more = {{"samples", std::to_string(s.scenario.sweep.samples)},
                                     {"seed of all draws", std::to_string(s.scenario.sweep.seed)},
                                     {"fingerprint of the scenario", s.fingerprint}};
  facts.insert(facts.end() - 3, more.begin(), more.end());  // before version, date and command
  return facts;
}

/// One sample again, beside the scenario as it stands in the file.
int run_one(const Sweep& s, const SweepArguments& o, std::string& out) {
  const SweepSample sample = draw_sample(s.scenario, *o.sample);
  if (!sample.impossible.empty())
    throw Failure("sample " + std::to_string(sample.index) + " is impossible: " +
                  sample.impossible + " (" + internal::values_text(s.scenario, sample) + ")");
  std::vector<Rollout> again =
      rollout(s.scenario, {sample}, {});  // as the sweep does: the same bits
  if (!again[0].impossible.empty())
    throw Failure("sample " + std::to_string(sample.index) +
                  " is impossible: " + again[0].impossible);
  std::vector<NamedRun> runs;
  runs.push_back({"sample " + std::to_string(sample.index), std::move(again[0].recording)});
  runs.push_back({"as in the file", run_of(s.scenario, o.scenario)});
  if (!o.page.empty()) {
    Report page;
    page.title = runs[0].name + " of " + (s.scenario.name.empty() ? "a sweep" : s.scenario.name);
    page.text = internal::values_text(s.scenario, sample);
    page.facts = sweep_facts(s, o);
    page.picture = picture_options(o.meshes, o.scenario, o.package_folders);
    page.linear = linear_dofs(s.scenario.plant_model);
    page.sections.emplace_back();
    page.sections[0].robot = &s.scenario.plant_model;
    page.sections[0].surfaces = s.scenario.surfaces;
    for (const NamedRun& run : runs) page.sections[0].runs.push_back({run.name, &run.recording});
    write_file(o.page, report_page(page));
  }
  if (o.json) {
    Json j = sample_json(s, {sample, summarise(runs[0].recording)});
    j["runs"] = runs_json(runs);
    out += json_text(j);
  } else {
    out += "  " + wrapped(internal::values_text(s.scenario, sample), 2) + "\n\n" + runs_text(runs) +
           wrote({o.page});
  }
  return runs[0].recording.stop == StopReason::finished ? good : findings;
}

/// The page of all runs: worst cases again in full, and some samples for bands over time.
std::string page_of(const Sweep& s, const SweepArguments& o) {
  const Interrupt interrupt;
  internal::SweepCases cases = internal::run_cases(s.scenario, s.rows, o.scenario,
                                                   [&](const std::string& what, double share) {
                                                     progress("page: " + what, share);
                                                     return !interrupt.asked();
                                                   });
  end_progress();
  return internal::sweep_page(s.scenario, s.rows, std::move(cases), sweep_facts(s, o),
                              picture_options(o.meshes, o.scenario, o.package_folders));
}

int run(const SweepArguments& o, Sweep& s, Ranks* ranks, std::string& out) {
  if (ranks && ranks->rank() > 0) return follow(*ranks, s, o);
  if (o.sample) return run_one(s, o, out);
  run_all(s, o, ranks);
  if (!o.page.empty()) write_file(o.page, page_of(s, o));
  out += o.json ? json_text(sweep_json(s)) : sweep_text(s) + wrote({o.page});
  if (static_cast<long>(s.rows.size()) < s.scenario.sweep.samples) {
    std::fprintf(stderr, "torsor: interrupted after %zu of %ld runs; the same command goes on\n",
                 s.rows.size(), s.scenario.sweep.samples);
    return findings;
  }
  const auto any = [&](auto is) { return std::any_of(s.rows.begin(), s.rows.end(), is); };
  const bool bad = any([](const SweepRow& r) {
    return r.sample.impossible.empty() && (!r.finished() || r.summary.diverged > 0);
  });
  return bad || !any([](const SweepRow& r) { return r.finished(); }) ? findings : good;
}

int sweep_scenario(const SweepArguments& o, std::string& out) {
  std::optional<Sweep> s;
  return on_all_ranks(
      {[&] {
         if (internal::launch().size > 1) refuse_on_ranks(o);
         if (!o.page.empty()) refuse_to_overwrite(o.page, o.force);
         s = load_sweep(o);
       },
       [&] { return s->fingerprint + ", seed " + std::to_string(s->scenario.sweep.seed); },
       [&](Ranks* ranks) { return run(o, *s, ranks, out); }});
}

Action add_sweep(Arguments& app) {
  const auto o = std::make_shared<SweepArguments>();
  app.add_option("scenario", o->scenario, "scenario file (.yaml) with a sweep: block").required();
  app.add_option("--samples", o->samples, "how many runs, instead of the file's number")
      .range(1, 10'000'000);
  app.add_option("--seed", o->seed, "of all draws, instead of the file's");
  app.add_option("--threads", o->threads, "runs at a time; all cores unless given").range(1, 4096);
  app.add_option("--journal", o->journal, "CSV of finished runs; NAME.sweep.csv unless given");
  app.add_flag("--restart", o->restart, "forget the runs in the journal");
  app.add_option("--sample", o->sample, "run this one sample again, in full").range(0, 10'000'000);
  app.add_option("--report", o->page, "write an HTML page: distributions, bands, worst cases");
  app.add_flag("--meshes", o->meshes, "embed the robot's visual meshes in the page");
  add_package_path(app, o->package_folders);
  app.add_flag("--force", o->force, "overwrite the page");
  add_json(app, o->json);
  return [o](std::string& out) { return sweep_scenario(*o, out); };
}

}  // namespace

extern const Verb sweep;
const Verb sweep{
    "sweep", "run a scenario many times under stated uncertainties: quantiles and worst cases",
    "  torsor sweep examples/scenarios/sweep_unknown_load.yaml --report sweep.html\n"
    "  torsor sweep my_run.yaml --samples 1000 --threads 8\n"
    "  torsor sweep my_run.yaml --sample 17 --report worst.html\n"
    "\n"
    "The file is a scenario with a block that says what is not known:\n"
    "\n"
    "  sweep:\n"
    "    samples: 200\n"
    "    seed: 1\n"
    "    uncertainties:\n"
    "      parameter_factor: [0.8, 1.2]            # all masses and inertias alike\n"
    "      payload: {link: link_2, mass: [0, 0.5], com: [1, 0, 0]}\n"
    "      friction_factor: {normal: [1, 0.2]}     # mean and standard deviation\n"
    "      start_q: [-0.1, 0.1]\n"
    "\n"
    "also link_factor, inertial_factor, start_qd, noise: true, gains: {Kp: [0.8, 1.2]}.\n"
    "\n"
    "Every finished run is written to the journal at once. After a kill or Ctrl-C the same "
    "command\n"
    "goes on where it was; a changed scenario is refused until --restart. Sample k has the same\n"
    "numbers whatever the number of samples and threads. A draw that no robot can have (a mass,\n"
    "a friction or a gain below zero) is told and not run. Exit code 1: interrupted, some run\n"
    "stopped before its end or diverged, or no draw was possible.\n"
    "\n"
    "mpirun -n 8 torsor sweep ... runs it on many machines, with the same numbers in every bit\n"
    "(docs/many-machines.md).\n",
    add_sweep, true};

}  // namespace torsor::command
