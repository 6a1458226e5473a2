#pragma once
/// One self-contained HTML page about one or several runs.
///
/// Per joint errors, filtered errors and torques, the Lyapunov function and its balance, errors of
/// the law's task, contact forces, energies and states of the law as inline SVG; the conditions of
/// each proof with their numbers, predictions beside observations, and tables of figures. Runs of a
/// section are drawn over each other; the legend hides and shows them.
///
/// The page needs no other file and loads none, follows the reader's light or dark setting, and is
/// well-formed XML after its first line. Where the library was built with the viewer (docs/pages.md),
/// the robot moves above plots that share one time cursor; without script, and in print, it is a page
/// of pictures and tables. Curves are thinned to the least and the largest value of
/// each column of pixels, so that chatter stays visible and the page small.
#include <string>
#include <vector>

#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/model/model.hpp"
#include "torsor/sim/plant.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor {

struct ReportRun {
  std::string name;  ///< in legends; the same name has the same colour in every section
  const Recording* recording = nullptr;
};

/// Runs of one experiment: the same joints.
struct ReportSection {
  std::string title, text;
  std::vector<ReportRun> runs;
  const Model<double>* robot = nullptr;  ///< moves on the page where it is given
  std::vector<Surface> surfaces{};       ///< what it may touch
};

/// One line of what was run: "robot", "puma560".
struct RunFact {
  std::string name, value;
};

struct Report {
  std::string title, text;
  std::vector<RunFact> facts{};  ///< what was run, as a table at the end of the page
  std::vector<ReportSection> sections;
  std::vector<bool> linear;            ///< degrees of freedom in m and N; empty: all in rad and N m
  std::vector<double> torque_limit;    ///< drawn where a torque comes near; empty: none
  bool still = false;                  ///< no script, whether or not there is a viewer
  internal::PictureOptions picture{};  ///< how meshes of the robot are read
};

/// Throws Error for no runs, runs of a section whose joints differ, and runs without rows.
std::string report_page(const Report& report);
/// The errors of one section as a single SVG picture with a legend, for a paper or a web page.
std::string report_figure(const Report& report, std::size_t section = 0);
/// Replaces the file in one step.
void save_report(const Report& report, const std::string& path);

/// Which degrees of freedom of a robot are lengths.
std::vector<bool> linear_dofs(const Model<double>& model);

}  // namespace torsor
