#include <algorithm>

#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

constexpr int most_findings = 1000;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool is_extension(const std::string& name) { return name.starts_with(extension_prefix); }

/// Elements in which everything is about motion, mass or force: what is not understood there
/// changes results.
bool is_mechanical(const std::string& tag) {
  return contains({"joint", "parent", "child", "origin", "axis", "limit", "dynamics", "mimic",
                   "inertial", "mass", "inertia"},
                  tag);
}
/// A misspelling, or a part of URDF in a place where it means nothing.
bool looks_meant(std::string name, const std::vector<std::string>& known) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return is_mechanical(name) || contains({"link", "visual", "collision"}, name) ||
         !did_you_mean(name, known).empty();
}

}  // namespace

void Notes::add(Finding finding) {
  if (findings_ == nullptr || ++count_ > most_findings) return;
  if (count_ == most_findings) {
    finding.severity = Finding::Severity::note;
    finding.message = "further findings are left out";
    finding.element = finding.why = finding.fix = {};
    finding.kind = Finding::Kind::other;
    finding.subject.clear();
  }
  findings_->push_back(std::move(finding));
}

void Notes::add(Finding::Severity severity, const XmlElement& at, const std::string& message,
                std::string why, std::string fix, Finding::Kind kind) {
  if (findings_ == nullptr) return;
  add({severity, at.origin(), at.label(), one_line(message), std::move(why), std::move(fix), kind,
       topic});
}

void Notes::ignored(const XmlElement& at, const XmlElement& parent, const std::string& what,
                    const std::string& name, const std::vector<std::string>& known) {
  if (name.starts_with("xacro:"))
    return add(Finding::Severity::warning, at,
               "ignored <" + name + ">, a macro that the file does not have",
               "what it stands for is missing", "expand the xacro file that has it, or remove it",
               Finding::Kind::ignored);
  const std::string advice = did_you_mean(name, known);
  const bool matters = is_mechanical(parent.name()) || looks_meant(name, known);
  if (!matters)
    return not_used(
        at, "unknown " + what,
        what.starts_with("element") ? "<" + name + ">" : "attribute " + in_quotes(name));
  add(Finding::Severity::warning, at, "ignored unknown " + what + advice,
      what + " is not URDF: the robot is read without it",
      !advice.empty() ? "correct the name, or remove it"
                      : "say it in the words of URDF, or remove it",
      Finding::Kind::ignored);
}

void Notes::not_used(const XmlElement& at, const std::string& what, const std::string& subject,
                     const std::string& fix) {
  if (findings_ == nullptr) return;
  add({Finding::Severity::note, at.origin(), at.label(), one_line(what + " is not used"),
       "it is there for other programs", fix.empty() ? "nothing to do" : fix,
       Finding::Kind::not_used, topic, subject});
}

void Notes::check_names(const XmlElement& element, const std::vector<std::string>& children,
                        const std::vector<std::string>& attributes,
                        const std::vector<std::string>& foreign) {
  for (const XmlElement& child : element.children()) {
    const std::string name = child.name();
    if (contains(children, name)) continue;
    if (is_extension(name)) {
      attempt([&] {
        child.fail("unknown element <" + name + "> in <" + element.name() + ">" +
                   did_you_mean(name, children));
      });
      continue;
    }
    if (findings_ == nullptr || count_ > most_findings) continue;
    const std::string shown = in_quotes(name).substr(1, in_quotes(name).size() - 2);
    if (contains(foreign, name))
      not_used(child, "element <" + name + ">", "<" + name + ">");
    else
      ignored(child, element, "element <" + shown + "> in <" + element.name() + ">", name,
              children);
  }
  for (const std::string& name : element.attribute_names()) {
    if (contains(attributes, name) || name.starts_with("xmlns")) continue;
    if (is_extension(name) || is_extension(element.name())) {
      attempt([&] {
        element.fail("unknown attribute " + in_quotes(name) + " of <" + element.name() + ">" +
                     did_you_mean(name, attributes));
      });
      continue;
    }
    if (findings_ == nullptr || count_ > most_findings) continue;
    ignored(element, element, "attribute " + in_quotes(name) + " of <" + element.name() + ">", name,
            attributes);
  }
}

XmlElement Notes::child(const XmlElement& element, const char* name) {
  const std::vector<XmlElement> all = element.children(name);
  if (all.empty()) return {};
  if (all.size() > 1)
    add(Finding::Severity::warning, all[1],
        "second <" + std::string(name) + "> in <" + element.name() + ">; the first, in line " +
            std::to_string(all[0].origin().line) + ", is used",
        "the second may be the one that is meant", "remove one of them");
  return all[0];
}
XmlElement Notes::required_child(const XmlElement& element, const char* name) {
  const XmlElement found = child(element, name);
  return found ? found : element.required_child(name);
}

}  // namespace torsor::internal::urdf
