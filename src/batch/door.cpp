#include "door.hpp"

#include <cmath>

#include "torsor/model/configuration.hpp"

namespace torsor::internal {

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
    check("q", s, [&] { check_configuration(model, row); });
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
