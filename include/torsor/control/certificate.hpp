#pragma once
/// What a control law claims, as numbers that a run can be held to.
///
/// conditions   the inequalities of its proof, with the numbers of this run (run.hpp), and the
///              hypotheses of its theorem beside what the run has (scope.hpp)
/// lyapunov     V and the rate that the proof predicts along the closed loop:
///              V(t) - V(0) = int rate dt where the rate is exact (the power balance), <= where it
///              is a bound
/// predictions  what the run should show: steady error, decay, poles
///
/// A condition that does not hold is no error: it is reported, with its numbers, and the run goes on.
#include <string>
#include <vector>

namespace torsor {

enum class Relation : unsigned char { greater, at_least, less, at_most, equal };

/// What a condition says about the claims of the law in this run.
enum class Verdict : unsigned char {
  holds,
  violated,    ///< an inequality of the proof is missed
  not_covered  ///< the theorem is about other runs than this one: it claims nothing
};
/// "holds", "violated", "not covered".
const char* name_of(Verdict verdict);

/// One inequality `value relation bound`.
struct Condition {
  std::string name;      ///< what the proof asks for: "Kp positive definite (Huo 2005, (3-25))"
  std::string quantity;  ///< what was computed: "smallest eigenvalue of Kp"
  double value = 0, bound = 0;
  Relation relation = Relation::greater;
  Verdict verdict = Verdict::violated;
  std::string note;  ///< what the number does not cover; may be empty

  /// "smallest eigenvalue of Kp = 60, needed > 0 (4096 configurations sampled)": numbers and note.
  std::string text() const;
  bool satisfied() const { return verdict == Verdict::holds; }
};

/// An inequality of the proof: holds or violated. NaN satisfies nothing. `equal`: to 1e-9 of the
/// bound's size.
Condition condition(std::string name, std::string quantity, double value, Relation relation,
                    double bound, std::string note = {});
/// A hypothesis about the run: holds or not covered.
Condition hypothesis(std::string name, std::string quantity, double value, Relation relation,
                     double bound, std::string note = {});

bool all_satisfied(const std::vector<Condition>& conditions);

/// The function at one instant, with the rate that the proof gives for the ideal closed loop.
struct LyapunovValue {
  double value = 0;
  double rate = 0;             ///< predicted dV/dt
  bool rate_is_bound = false;  ///< dV/dt <= rate is claimed, not equality
  bool given = true;           ///< false: the law has no such function
  bool local = false;          ///< the rate is exact to leading order near a point alone
};

/// What a prediction is compared with.
enum class PredictedQuantity : unsigned char {
  final_error,     ///< |e| of a joint at the end equals the value
  error_bound,     ///< |e| of a joint over the last quarter is at most the value
  decay_rate,      ///< V(t) <= V(0) exp(-value t)
  integral_bound,  ///< the integral of -rate over the run is at most the value
  reaching_speed,  ///< s of a joint has come to zero by |s(0)| / value
  linear_error,    ///< e of a joint leaves e'' + kd e' + kp e + ki int e = 0 by the value at most;
                   ///< coefficients kp, kd and perhaps ki
  linear_task_error,  ///< the same of a component of the task, whatever rate it starts with
  cost,               ///< the integral of -rate and V at the end make the value times V(0)
  filtered_square,    ///< the integral of |s|^2 is at most V(0) / mu; coefficient mu
  reach               ///< |e| of the whole robot never exceeds sqrt(2 V(0) / mu); coefficient mu
};

struct Prediction {
  std::string name;  ///< "steady error of joint_1 = G / Kp"
  PredictedQuantity quantity = PredictedQuantity::final_error;
  int dof = -1;  ///< -1: of the whole robot
  double value = 0;
  std::vector<double> coefficients{};
  double tolerance = 0;  ///< what the theory itself leaves open
};
/// e of a degree of freedom by its poles: kp, kd and perhaps ki.
Prediction linear_error(const std::string& joint, int dof, std::vector<double> coefficients);

}  // namespace torsor
