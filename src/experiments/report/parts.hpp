#pragma once
/// Parts of the report page. Private to this room.
#include <map>
#include <string>

#include "report/plot.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/sim/run_summary.hpp"

namespace torsor::report {

/// The colour of each name of a run; there are eight, then they return dashed.
class Palette {
 public:
  static constexpr int size = 8;

  explicit Palette(const Report& report);
  int index(const std::string& run) const { return index_.at(run); }
  int colour(const std::string& run) const { return index_.at(run) % size; }
  bool dashed(const std::string& run) const { return index_.at(run) >= size; }
  const std::vector<std::string>& names() const { return names_; }
  /// Class of everything that belongs to a run, "r" and its index: the legend hides it.
  std::string run_class(const std::string& run) const {
    return "r" + std::to_string(index_.at(run));
  }

 private:
  std::map<std::string, int> index_;
  std::vector<std::string> names_;
};

/// Panels under one heading.
struct Group {
  std::string title, remark;
  std::vector<Panel> panels;
  bool folded = false;
  std::string legend{};  ///< below the panels
};

/// What pages of other kinds add to a page of runs.
struct Extras {
  std::string before;         ///< HTML above the first section
  std::vector<Group> groups;  ///< panels above those of the first section
  int solid = -1;             ///< the run that is drawn solid at first; -1: the last one
};

/// Panels of every series that the runs of a section have; more of them than on a page of pictures.
std::vector<Group> section_groups(const Report& report, const ReportSection& section,
                                  const Palette& palette);
/// The same as pictures, under headings, after those of `extras` on the first section. `budget`:
/// bytes for all curves of the page, about.
std::string section_plots(const Report& report, const ReportSection& section,
                          const Palette& palette, const Extras& extras, double budget);
std::string page_text(const Report& report, const Extras& extras);

/// The first group of these panels as a picture of its own.
std::string section_figure(const Report& report, const ReportSection& section,
                           const Palette& palette);

/// The name for people, "base.wx", of what files call "base.0": a coordinate or a velocity. Another name,
/// or no robot: the name itself.
std::string joint_label(const Model<double>* robot, const std::string& name, bool coordinate);
/// One line for each run with its figures.
std::string summary_table(const Report& report, const ReportSection& section,
                          const Palette& palette);
/// Conditions with numbers and verdicts, predictions beside observations.
std::string proof_tables(const ReportSection& section, const Palette& palette);
/// Figures of each joint and of each component of the law's task in each run.
std::string joint_table(const Report& report, const ReportSection& section, const Palette& palette);

/// What was run, and the frame of every page around its body.
std::string facts_table(const std::vector<RunFact>& facts);
/// `live`: what script needs, at the end of the page (page/live.hpp).
std::string framed(const std::string& title, const std::string& style, const std::string& body,
                   const std::vector<RunFact>& facts, const std::string& live = "");

/// The style sheets of panels and of the page.
std::string plot_style();
std::string style(const Palette& palette);

}  // namespace torsor::report
