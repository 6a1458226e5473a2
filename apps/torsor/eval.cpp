// The door for other programs: everything about many states in one call.
#include <algorithm>
#include <cmath>
#include <memory>

#include "command.hpp"
#include "eval_block.hpp"
#include "eval_columns.hpp"
#include "eval_states.hpp"
#include "json_output.hpp"
#include "long_output.hpp"
#include "on_ranks.hpp"
#include "states.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

struct EvalArguments {
  DynamicsRobot robot;
  std::string states, only;
  EvalFolders columns;
};

/// Of one state: a number, a list, or a list of rows; null where there is no answer.
Json json_of(const EvalColumn& column, int state) {
  if (column.defined[state] == 0) return nullptr;
  const View<const double> x = column.of(state);
  if (column.shape.empty()) return x[0];
  const auto list_of = [](const double* from, int n) {
    return Json(std::vector<double>(from, from + n));
  };
  if (column.shape.size() == 1) return list_of(x.data, x.size);
  Json rows = Json::array();
  for (int r = 0; r < column.shape[0]; ++r)
    rows.push_back(list_of(x.data + r * column.shape[1], column.shape[1]));
  return rows;
}

void require_closed(BlockEvaluation& evaluate, const EvalStates& states, const StateBlock& block) {
  for (int k = 0; k < block.count; ++k)
    if (const std::string open = evaluate.open_loop(block, k); !open.empty())
      throw Error(states.place(k) + ": " + open);
}

bool is_csv(const std::string& file) { return file.ends_with(".csv"); }

constexpr int at_once = 64;  // states

/// `closed`: it is known that no state opens a loop.
void answer_states(const Model<double>& model, EvalStates& states, BlockEvaluation& evaluate,
                   bool closed, std::string& out) {
  Json joints = Json::array();
  for (int i = 1; i < model.n_bodies(); ++i) joints.push_back(model.joint_name(i));
  JsonList list({{"robot", model.name()},
                 {"joints", joints},
                 {"n_q", model.n_q()},
                 {"n_v", model.n_v()},
                 {"parameters", parameter_names(model)}},
                "results");
  LongOutput to("");
  for (StateBlock block = states.next(at_once); block.count > 0; block = states.next(at_once)) {
    if (!closed) require_closed(evaluate, states, block);
    evaluate(block);
    for (int k = 0; k < block.count; ++k) {
      if (const std::string large = evaluate.too_large(k); !large.empty())
        throw Failure(states.place(k) + ": " + large);
      if (const int lost = evaluate.lost_rank(k); lost != 0)
        note_lost_rank(model, lost,
                       "qdd_fd of " + states.place(k) + " is one of infinitely many accelerations");
      Json entry = Json::object();
      for (const EvalColumn& column : evaluate.columns()) entry[column.key] = json_of(column, k);
      list.add(entry, to.text);
    }
    if (!to.pass_on()) return;
  }
  list.end(to.text);
  to.finish(out);
}

/// A request is checked as a whole before it is answered; of a long table, what comes before a bad
/// row has been printed.
void answer_json(const EvalArguments& options, const Model<double>& model, const EvalKeys& wanted,
                 std::string& out) {
  const auto frame_of = [&](const std::string& name) {
    return name.empty() ? nullptr : &model.frame(name);
  };
  if (is_csv(options.states)) {
    BlockEvaluation evaluate(model, wanted, frame_of(options.columns.frame));
    TableStates states(options.states, model);
    return answer_states(model, states, evaluate, !has_loops(model), out);
  }
  const EvalRequest request = read_eval_request(options.states, model);
  BlockEvaluation evaluate(model, wanted, frame_of(request.frame));
  RequestedStates states(request, model), all(request, model);
  if (has_loops(model)) require_closed(evaluate, all, all.next(request.count));
  // Only a number that overflows can fail from here.
  answer_states(model, states, evaluate, true, out);
}

int answer(const EvalArguments& options, std::string& out) {
  const auto load = [&] { return load_model(options.robot); };
  if (options.states.empty() && !options.columns.input.empty())
    return evaluate_columns(load, options.only, options.columns, out);
  refuse_ranks("eval without --columns");
  if (!options.columns.input.empty() || options.states.empty())
    throw Error("eval: STATES or --columns DIR is required, and not both");
  if (!options.columns.frame.empty() && !is_csv(options.states))
    throw Error("--frame: is for --columns and CSV; in JSON it is the key \"frame\"");
  const EvalKeys wanted(options.only);
  answer_json(options, load(), wanted, out);
  return good;
}

Action add_eval(Arguments& app) {
  const auto options = std::make_shared<EvalArguments>();
  EvalFolders& folders = options->columns;
  add_dynamics_robot(app, options->robot);
  app.add_option("STATES", options->states,
                 "a JSON file or a CSV file; - reads standard input, JSON")
      .type_name("");
  app.add_option("--only", options->only, "these keys alone, such as tau,M").type_name("KEYS");
  const Argument columns =
      app.add_option(
             "--columns", folders.input,
             "instead of STATES: a folder with q.npy and, if wanted, qd.npy, qdd.npy, tau.npy")
          .type_name("DIR");
  app.add_option("--frame", folders.frame,
                 "with --columns or CSV: the frame of T_frame, J_body, ...")
      .type_name("NAME");
  app.add_option("-o,--output", folders.output,
                 "with --columns: the folder for the answers; otherwise DIR/results")
      .type_name("DIR")
      .needs(columns);
  app.add_option("--threads", folders.threads, "with --columns: all cores unless given")
      .range(1, 4096)
      .needs(columns);
  app.add_flag("--force", folders.force, "replace answers that are there").needs(columns);
  return [options](std::string& out) { return answer(*options, out); };
}

}  // namespace

extern const Verb eval;
const Verb eval{
    "eval", "everything about many states: JSON in and out, or NumPy's files",
    "  echo '{\"frame\": \"tip\", \"states\": [{\"q\": [0.5, -1], \"qd\": [1, 0]}]}' |\n"
    "    torsor eval planar2r - --only tau,T_frame\n"
    "  torsor eval planar2r run.csv --only tau,kinetic    # states of a simulation, as CSV\n"
    "  torsor eval panda --columns states --only tau,M -o answers    # millions of states\n"
    "\n"
    "Input: {\"frame\": name, \"states\": [{\"q\", \"qd\", \"qdd\", \"tau\", \"f_ext\":\n"
    "{link: [m, f]}}]}; only q is needed. A .csv has columns q.JOINT, qd.JOINT, ...\n"
    "\n"
    "Output, per state: tau (of qdd), gravity, bias, M, C, qdd_fd (of tau), T_frame,\n"
    "J_body, J_world_aligned, Jdot_qd_body, kinetic, potential, com, mass, regressor,\n"
    "and the derivatives dtau_dq, dtau_dqd, dqdd_dq, dqdd_dqd, dqdd_dtau along the\n"
    "tangent of q. With loops or couplings tau, qdd_fd and their derivatives obey them,\n"
    "the rest is of the tree's coordinates, A, lambda and lost_rank come too (not 0:\n"
    "the closure is singular, and qdd_fd one of many); q, qd and qdd have to close them.\n"
    "--tree opens them.\n"
    "\n"
    "Twists are angular first, matrices lists of rows; no frame: no frame keys.\n"
    "Long answers are written while states are read: they are whole where the exit code is 0.\n"
    "\n"
    "--columns reads q.npy (N x n_q), qd.npy, qdd.npy and tau.npy (N x n_v), float64 or float32 "
    "in\n"
    "C order, and writes KEY.npy of each key: tau N x n_v, M N x n_v x n_v, T_frame N x 4 x 4, "
    "...\n"
    "Where a state has no answer (M is singular) its numbers are nan. Memory does not grow with "
    "N.\n"
    "mpirun -n 8 torsor eval ROBOT --columns DIR: on many machines that share the folders.\n",
    add_eval, true};

}  // namespace torsor::command
