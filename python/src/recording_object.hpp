#pragma once
/// Recordings as objects of Python.
#include "law_object.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor::python {

/// A recording, and what its page needs beside it.
struct PyRecording : Recording {
  py::object plant = py::none();       ///< the Robot that moved; None where nobody said
  std::vector<Surface> surfaces{};     ///< that it could touch
  std::vector<double> torque_limit{};  ///< of the run
  std::vector<RunFact> facts{};        ///< what was run
};

/// A surface as a dict of docs/simulation.md; throws Error for what is none.
Surface read_surface(py::handle dict);
py::dict surface_dict(const Surface& surface);
/// [(name, value)]
std::vector<RunFact> read_facts(py::handle rows);
py::list fact_list(const std::vector<RunFact>& facts);

void bind_recording(py::module_& module);

}  // namespace torsor::python
