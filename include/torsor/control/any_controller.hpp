#pragma once
/// One type for every control law, chosen at run time: an indirect call around a plain class.
///
///   AnyController c(IndependentPd(model, Kp, Kd));     owns the law
///   AnyController c = AnyController::refer(law);       the caller keeps it
///
/// The laws stay free of virtual calls; code that knows its law at compile time calls it directly.
#include <utility>

#include "torsor/control/control_law.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

class AnyController {
 public:
  template <class Law>
  requires(ControlLaw<Law> && !std::same_as<Law, AnyController>) explicit AnyController(Law law)
      : law_(new Law(std::move(law))),
        destroy_([](void* p) { delete static_cast<Law*>(p); }),
        call_(&table<Law>) {}
  template <ControlLaw Law>
  static AnyController refer(Law& law) {
    AnyController c;
    c.law_ = &law;
    c.call_ = &table<Law>;
    return c;
  }
  AnyController(AnyController&& other) noexcept { swap(other); }
  AnyController& operator=(AnyController&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AnyController() {
    if (destroy_) destroy_(law_);
  }

  const char* name() const { return call_->name; }
  int n_states() const { return call_->n_states(law_); }
  void reset(View<double> x_c) { call_->reset(law_, x_c); }
  void torque(double t, const ControlState& state, View<const double> x_c,
              const ControlReference& reference, View<double> tau) {
    call_->torque(law_, t, state, x_c, reference, tau);
  }
  /// Zeros for a law that has none.
  void state_derivative(double t, const ControlState& state, View<const double> x_c,
                        const ControlReference& reference, View<double> xdot_c) {
    call_->state_derivative(law_, t, state, x_c, reference, xdot_c);
  }
  std::vector<Condition> conditions() { return call_->conditions(law_); }
  std::vector<Prediction> predictions() { return call_->predictions(law_); }
  /// False for a law that does not say so.
  bool switches() const { return call_->switches && call_->switches(law_); }

  bool has_lyapunov() const { return call_->lyapunov != nullptr; }
  LyapunovValue lyapunov(double t, const ControlState& state, View<const double> x_c,
                         const ControlReference& reference, const Model<double>& plant) {
    return call_->lyapunov(law_, t, state, x_c, reference, plant);
  }
  bool has_filtered_error() const { return call_->filtered_error != nullptr; }
  void filtered_error(const ControlState& state, const ControlReference& reference,
                      View<double> s) {
    call_->filtered_error(law_, state, reference, s);
  }
  /// Whether the torque depends on measured contact forces: the law says `feels_contact`.
  bool feels_contact() const { return call_->feels_contact; }
  /// 0 for a law without a task of its own.
  int n_task_errors() const { return call_->task_error ? call_->n_task_errors(law_) : 0; }
  void task_error(double t, const ControlState& state, View<const double> x_c,
                  const ControlReference& reference, View<double> e) {
    call_->task_error(law_, t, state, x_c, reference, e);
  }

  /// 0 for a law without estimates beside its states.
  int n_estimates() const { return call_->estimate ? call_->n_estimates(law_) : 0; }
  void estimate(const ControlState& state, View<const double> x_c, View<double> out) {
    call_->estimate(law_, state, x_c, out);
  }
  /// Throws Error for a reference that the law cannot follow. A law that does not say what it needs
  /// and has no task of its own needs q.
  void check_reference(const ControlReference& reference) const {
    if (call_->check_reference)
      call_->check_reference(law_, reference);
    else if (n_task_errors() == 0 && reference.q.empty())
      throw Error(std::string("law \"") + name() +
                  "\" follows a motion of the joints; there is none");
  }

 private:
  struct Table {
    const char* name;
    int (*n_states)(const void*);
    void (*reset)(void*, View<double>);
    void (*torque)(void*, double, const ControlState&, View<const double>, const ControlReference&,
                   View<double>);
    void (*state_derivative)(void*, double, const ControlState&, View<const double>,
                             const ControlReference&, View<double>);
    std::vector<Condition> (*conditions)(void*);
    std::vector<Prediction> (*predictions)(void*);
    LyapunovValue (*lyapunov)(void*, double, const ControlState&, View<const double>,
                              const ControlReference&, const Model<double>&) = nullptr;
    void (*filtered_error)(void*, const ControlState&, const ControlReference&,
                           View<double>) = nullptr;
    bool feels_contact = false;
    int (*n_task_errors)(const void*) = nullptr;
    void (*task_error)(void*, double, const ControlState&, View<const double>,
                       const ControlReference&, View<double>) = nullptr;
    int (*n_estimates)(const void*) = nullptr;
    void (*estimate)(void*, const ControlState&, View<const double>, View<double>) = nullptr;
    void (*check_reference)(const void*, const ControlReference&) = nullptr;
    bool (*switches)(const void*) = nullptr;
  };

  template <class Law>
  static constexpr Table make_table() {
    Table t{};
    t.name = Law::name;
    t.n_states = [](const void* p) { return static_cast<const Law*>(p)->n_states(); };
    t.reset = [](void* p, View<double> x_c) { static_cast<Law*>(p)->reset(x_c); };
    t.torque = [](void* p, double time, const ControlState& s, View<const double> x_c,
                  const ControlReference& r,
                  View<double> tau) { static_cast<Law*>(p)->torque(time, s, x_c, r, tau); };
    t.state_derivative = [](void* p, double time, const ControlState& s, View<const double> x_c,
                            const ControlReference& r, View<double> xdot_c) {
      if constexpr (HasStateDerivative<Law>)
        static_cast<Law*>(p)->state_derivative(time, s, x_c, r, xdot_c);
      else
        for (double& x : xdot_c) x = 0;
    };
    t.conditions = [](void* p) -> std::vector<Condition> {
      return static_cast<Law*>(p)->conditions();
    };
    t.predictions = [](void* p) -> std::vector<Prediction> {
      if constexpr (HasPredictions<Law>)
        return static_cast<Law*>(p)->predictions();
      else
        return (void)p, std::vector<Prediction>{};
    };
    if constexpr (HasSwitches<Law>)
      t.switches = [](const void* p) { return static_cast<const Law*>(p)->switches(); };
    if constexpr (HasLyapunov<Law>)
      t.lyapunov = [](void* p, double time, const ControlState& s, View<const double> x_c,
                      const ControlReference& r, const Model<double>& plant) -> LyapunovValue {
        return static_cast<Law*>(p)->lyapunov(time, s, x_c, r, plant);
      };
    if constexpr (HasFilteredError<Law>)
      t.filtered_error = [](void* p, const ControlState& s, const ControlReference& r,
                            View<double> out) { static_cast<Law*>(p)->filtered_error(s, r, out); };
    if constexpr (requires { Law::feels_contact; }) t.feels_contact = Law::feels_contact;
    if constexpr (HasTaskError<Law>) {
      t.n_task_errors = [](const void* p) { return static_cast<const Law*>(p)->n_task_errors(); };
      t.task_error = [](void* p, double time, const ControlState& s, View<const double> x_c,
                        const ControlReference& r,
                        View<double> e) { static_cast<Law*>(p)->task_error(time, s, x_c, r, e); };
    }
    if constexpr (HasEstimate<Law>) {
      t.n_estimates = [](const void* p) { return static_cast<const Law*>(p)->n_estimates(); };
      t.estimate = [](void* p, const ControlState& s, View<const double> x_c, View<double> out) {
        static_cast<Law*>(p)->estimate(s, x_c, out);
      };
    }
    if constexpr (HasReferenceCheck<Law>)
      t.check_reference = [](const void* p, const ControlReference& r) {
        static_cast<const Law*>(p)->check_reference(r);
      };
    return t;
  }
  template <class Law>
  static constexpr Table table = make_table<Law>();

  AnyController() = default;
  void swap(AnyController& other) {
    std::swap(law_, other.law_);
    std::swap(destroy_, other.destroy_);
    std::swap(call_, other.call_);
  }

  void* law_ = nullptr;
  void (*destroy_)(void*) = nullptr;  // null: the law is the caller's
  const Table* call_ = nullptr;
};

}  // namespace torsor
