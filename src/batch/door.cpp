#include "door.hpp"

#include <cmath>

#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

/// Angles whose sines have digits in double, but none in float (math/trig.hpp).
void check_float_angles(const Model<double>& model, In<double> q) {
  const std::vector<Measure> measures = coordinate_measures(model);
  for (int k = 0; k < q.size; ++k)
    if (measures[static_cast<std::size_t>(k)] == Measure::angle && !(std::abs(q[k]) < 0x1p+19))
      throw Error("robot \"" + model.name() + "\": coordinate \"" + model.coordinate_name(k) +
                  "\" is " + number(q[k]) +
                  " rad; the sine of so large an angle has no correct digit in float");
}

}  // namespace

template <class Real>
void check_states(const Model<double>& model, const LaneJob<Real>& job, const char* third) {
  Array<double> row;
  const auto place = [](const char* name, std::int64_t s) {
    return std::string(name) + "[" + std::to_string(s) + "]: ";
  };
  const auto check = [&](const char* name, std::int64_t s, auto look) {
    try {
      look();
    } catch (const Error& refused) {
      throw Error(place(name, s) + refused.what());
    }
  };
  const auto finite = [&](const char* name, const StatesView<const Real>& view, std::int64_t s) {
    for (int k = 0; !view.empty() && k < view.width; ++k)
      if (!std::isfinite(view(s, k)))
        throw Error(place(name, s) + "number " + std::to_string(k) + " is not finite");
  };
  for (std::int64_t s = job.first; s < job.end; ++s) {
    copy_state(job.q, s, row);
    check("q", s, [&] {
      check_configuration(model, row);
      if constexpr (std::is_same_v<Real, float>) check_float_angles(model, row);
    });
    for (const auto& [name, view] : {std::pair{"qd", &job.qd}, std::pair{third, &job.third}}) {
      if (view->empty()) continue;
      copy_state(*view, s, row);
      check(name, s, [&, of = name] { check_velocity(model, row, of); });
    }
    finite("F_ext", job.F_ext, s);
    finite("parameters", job.parameters, s);
  }
}
template void check_states(const Model<double>&, const LaneJob<double>&, const char*);
template void check_states(const Model<double>&, const LaneJob<float>&, const char*);

}  // namespace torsor::internal
