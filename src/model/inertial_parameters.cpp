#include "torsor/model/inertial_parameters.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace torsor {
namespace {

/// Where entry k of the ten of Huo 2005 is in this library's, found by name.
constexpr std::array<int, parameters_per_body> textbook_from_own() {
  std::array<int, parameters_per_body> place{};
  for (std::size_t k = 0; k < place.size(); ++k)
    for (std::size_t j = 0; j < place.size(); ++j)
      if (std::string_view(internal::textbook_parameter_words[k]) == internal::parameter_words[j])
        place[k] = static_cast<int>(j);
  return place;
}
constexpr auto place = textbook_from_own();

bool is_product(std::size_t textbook) { return textbook == 1 || textbook == 2 || textbook == 4; }

std::size_t bodies_in(std::size_t numbers) {
  if (numbers % parameters_per_body != 0)
    throw Error("inertial parameters come by tens; there are " + std::to_string(numbers));
  return numbers / parameters_per_body;
}

/// Calls f(position in the order of Huo 2005, position in ours, sign) for every number.
template <class Function>
void for_each_entry(std::size_t numbers, ProductSign sign, Function f) {
  for (std::size_t b = 0; b < bodies_in(numbers); ++b)
    for (std::size_t k = 0; k < place.size(); ++k)
      f(b * place.size() + k, b * place.size() + static_cast<std::size_t>(place[k]),
        sign == ProductSign::integral && is_product(k) ? -1.0 : 1.0);
}

/// Mass, centre and inertia about it, where they can state I.
std::optional<Inertial> inertial_of(const Inertia<double>& I) {
  if (I.m > 0) {
    const Vec3<double> com = I.h * (1 / I.m);
    return Inertial{I.m, com, I.J - Inertia<double>::parallel_axes(I.m, com)};
  }
  if (I.m == 0 && squared_norm(I.h) == 0) return Inertial{0, {}, I.J};
  return std::nullopt;
}

void set(Link& link, const Inertial& inertial) {
  link.inertial = inertial;
  link.has_inertial = true;
}

/// Puts I on the links of one body: [0] carries it. False where they cannot state it.
bool distribute(const Model<double>& model, const Inertia<double>& I,
                const std::vector<Link*>& links) {
  Inertia<double> rest = I;
  const auto size = [](const Sym3<double>& J) {
    return std::abs(J.xx) + std::abs(J.yy) + std::abs(J.zz) + std::abs(J.xy) + std::abs(J.xz) +
           std::abs(J.yz);
  };
  double mass = std::abs(I.m), moment = norm(I.h), turn = size(I.J);  // what was added up
  for (std::size_t k = 1; k < links.size(); ++k) {
    const Inertial& in = links[k]->inertial;
    const Inertia<double> own = transported(model.frame(links[k]->name).placement,
                                            Inertia<double>::at_com(in.mass, in.com, in.about_com));
    rest = rest - own;
    mass += std::abs(own.m), moment += norm(own.h), turn += size(own.J);
  }
  // A link without mass is left with rounding errors, which have no centre.
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  if (std::abs(rest.m) <= rounding * mass && norm(rest.h) <= rounding * moment) {
    rest.m = 0, rest.h = {};
    if (size(rest.J) <= rounding * turn) rest.J = {};
  }
  if (const auto own = inertial_of(rest)) {
    set(*links[0], *own);
    return true;
  }
  const auto all = inertial_of(I);
  if (!all) return false;
  set(*links[0], *all);
  for (std::size_t k = 1; k < links.size(); ++k) set(*links[k], {});
  return true;
}

}  // namespace

std::vector<double> parameters(const Model<double>& model) {
  std::vector<double> p;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (double x : parameters_of(model.body(i).inertia)) p.push_back(x);
  return p;
}
std::vector<std::string> parameter_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (const char* word : internal::parameter_words)
      names.push_back(model.body_name(i) + "." + word);
  return names;
}

std::vector<double> textbook_order(View<const double> parameters, ProductSign sign) {
  std::vector<double> out(static_cast<std::size_t>(parameters.size));
  for_each_entry(out.size(), sign, [&](std::size_t theirs, std::size_t ours, double s) {
    out[theirs] = s * parameters[static_cast<int>(ours)];
  });
  return out;
}
std::vector<double> from_textbook_order(View<const double> parameters, ProductSign sign) {
  std::vector<double> out(static_cast<std::size_t>(parameters.size));
  for_each_entry(out.size(), sign, [&](std::size_t theirs, std::size_t ours, double s) {
    out[ours] = s * parameters[static_cast<int>(theirs)];
  });
  return out;
}
std::vector<std::string> textbook_order(const std::vector<std::string>& names) {
  std::vector<std::string> out(names.size());
  for_each_entry(out.size(), ProductSign::matrix_entry,
                 [&](std::size_t theirs, std::size_t ours, double) { out[theirs] = names[ours]; });
  return out;
}

Model<double> with_parameters(const Model<double>& model, View<const double> parameters) {
  const int needed = parameters_per_body * (model.n_bodies() - 1);
  if (parameters.size != needed)
    throw Error("robot \"" + model.name() + "\" has " + std::to_string(needed) +
                " inertial parameters; " + std::to_string(parameters.size) + " are given");
  for (int k = 0; k < needed; ++k)
    if (!std::isfinite(parameters[k]))
      throw Error("robot \"" + model.name() + "\": parameter \"" +
                  Array<std::string>(parameter_names(model))[k] + "\" is not finite");

  RobotDescription description = model.description();
  Array<std::vector<Link*>> links(model.n_bodies());
  for (Link& link : description.links) {
    const int body = model.frame(link.name).body;
    auto& of_body = links[body];
    of_body.push_back(&link);
    if (link.name == model.body_name(body)) std::swap(of_body.front(), of_body.back());
  }
  Array<Inertia<double>> inertias(links.size());
  bool described = true;
  for (int i = 1; i < links.size(); ++i) {
    inertias[i] = inertia_of(parameters.data + parameters_per_body * (i - 1));
    described = distribute(model, inertias[i], links[i]) && described;
  }
  return model.with_inertias(std::move(inertias), std::move(description), described);
}

}  // namespace torsor
