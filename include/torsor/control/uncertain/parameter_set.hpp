#pragma once
/// The parameters p that a law does not know, chosen by name: everything else is the model's.
///
///   H w + C(q, qd) v + G + friction(qd) + springs = tau_known + Y(q, qd, v, w) p
///
///   ParameterSet all(arm);                                    ten for each body
///   ParameterSet load(arm, {"link_6"});                       ten of one body
///   ParameterSet some(arm, {"link_2.mx", "-link_3.yy", "joint_1.viscous"});
///
/// Names    link.m, mx, my, mz, xx, xy, yy, xz, yz, zz: one of the ten of model/inertial_parameters.hpp
///          link.mx.inertia, link.mx.gravity: its share in H and C alone, in G alone
///          joint.viscous, coulomb, stiction, rotor: of model/friction.hpp ("joint.1.viscous" where
///          a joint has several degrees of freedom)
///          -name: the other sign; 0.5*name: a factor; "link_2.zz - link_1.zz": a sum, one unit of
///          p
///          adds to every term (blanks around the sign)
///
/// A base parameter such as xx3 - yy3 is that one of its terms that the others can be put into:
/// "-link_3.yy". The value of p in a model is that of its first term (of a link, if there is one);
/// what the set does not name or cannot say stays with the model, so tau_known + Y p is the model's
/// torque at p = values(), and for a model without masses tau_known = 0.
///
/// torque           known + Y p with one sweep in each direction, Y not formed
/// transpose_times  y_c = sum_k r_k <S_k, F_c> = <V_i(r), F_c>: V_i(r) is the twist of body i when
///                  the joints move at r, F_c the wrench for a unit of c (Huo 2005, exercise 3-16)
///
/// Cost     O(n) for torque and transpose_times, O(n k) for regressor; no allocation in these three
///          and inertia_matrix.
/// Source   Huo 2005, sec. 2.5, 3.9 and exercise 3-16; regressor.hpp.
#include <string>
#include <vector>

#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class ParameterSet {
 public:
  /// `model` outlives the set. An empty list stands for all ten of every body. Throws Error for a
  /// name that the robot does not have (with the nearest one), and for one that is said twice.
  explicit ParameterSet(const Model<double>& model, const std::vector<std::string>& names = {});

  int size() const { return names_.size(); }
  const Array<std::string>& names() const { return names_; }
  const Model<double>& model() const { return *model_; }
  /// p in the model given.
  In<double> values() const { return values_; }

  /// tau = tau_known + Y p.
  void torque(In<double> q, In<double> qd, In<double> v, In<double> w, In<double> p,
              Out<double> tau);
  /// Y, n_v x size.
  void regressor(In<double> q, In<double> qd, In<double> v, In<double> w, OutMatrix<double> Y);
  /// y = Y^T r.
  void transpose_times(In<double> q, In<double> qd, In<double> v, In<double> w, In<double> r,
                       Out<double> y);
  /// H(q) with the parameters p, rotors included.
  void inertia_matrix(In<double> q, In<double> p, OutMatrix<double> H);

  /// p that gives the torques of another robot with the same joints: the plant's own values where
  /// these do, else the least squares solution nearest to them over drawn states.
  Array<double> values_of(const Model<double>& plant) const;
  /// The ten of every body at p, as model/inertial_parameters.hpp; shares in gravity alone are not in them.
  void inertial_parameters(In<double> p, Out<double> ten_per_body) const;

 private:
  struct LinkTerm {
    int column, body, entry;
    double motion, weight;  // in both H, C and G; in G besides
  };
  struct JointTerm {
    int column, dof;
    JointParameter parameter;
    double factor;
  };
  void add(const std::string& name);
  void add_term(const std::string& whole, std::string term, double factor);
  /// The value of each column's first term.
  Array<double> first_terms(const Model<double>& robot) const;
  void set_parameters(In<double> p);
  void move(In<double> q, In<double> qd, In<double> v, In<double> w);
  void weigh_columns();
  double joint_entry(const JointTerm& term, In<double> qd, In<double> w) const;

  const Model<double>* model_;
  Array<std::string> names_;
  Array<LinkTerm> links_;
  Array<JointTerm> joints_;
  Array<double> values_, own_;  // own_: the model's inertial parameters
  Array<char> named_;           // per body: whether a term is of it
  RegressorWorkspace<double> ws_;
  Array<internal::ParameterWrenches<double>> column_;  // per body, of the last motion
  Array<Twist<double>> twist_;                         // V_i(r)
  Array<Inertia<double>> composite_;
  Array<double> inertial_, rest_, weight_;  // at p: ten and four per body; rest_: no velocity
};

}  // namespace torsor
