// TeX to MathML by recursive descent: row = { scripted }, scripted = atom [_ atom] [^ atom].
#include "report/formula.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "report/plot.hpp"
#include "torsor/model/error.hpp"

namespace torsor::report {

namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr auto letters = std::to_array<Entry>({
    {"alpha", "α"},   {"beta", "β"},  {"delta", "δ"},      {"eta", "η"},     {"lambda", "λ"},
    {"mu", "μ"},      {"nu", "ν"},    {"omega", "ω"},      {"pi", "π"},      {"rho", "ρ"},
    {"sigma", "σ"},   {"tau", "τ"},   {"theta", "θ"},      {"phi", "φ"},     {"gamma", "γ"},
    {"epsilon", "ϵ"}, {"zeta", "ζ"},  {"varepsilon", "ε"}, {"xi", "ξ"},      {"psi", "ψ"},
    {"kappa", "κ"},   {"chi", "χ"},   {"Delta", "Δ"},      {"Gamma", "Γ"},   {"Lambda", "Λ"},
    {"Phi", "Φ"},     {"Omega", "Ω"}, {"Sigma", "Σ"},      {"partial", "∂"}, {"infty", "∞"},
    {"Theta", "Θ"},   {"Psi", "Ψ"},   {"ell", "ℓ"},
});
constexpr auto operators = std::to_array<Entry>({
    {"le", "≤"},     {"ge", "≥"},        {"to", "→"},
    {"in", "∈"},     {"equiv", "≡"},     {"cap", "∩"},
    {"times", "×"},  {"leftarrow", "←"}, {"ast", "∗"},
    {"int", "∫"},    {"sum", "∑"},       {"dots", "…"},
    {"lVert", "‖"},  {"rVert", "‖"},     {"cdot", "·"},
    {"approx", "≈"}, {"ne", "≠"},        {"ll", "≪"},
    {"gg", "≫"},     {"pm", "±"},        {"circ", "∘"},
    {"oplus", "⊕"},  {"prod", "∏"},      {"langle", "⟨"},
    {"rangle", "⟩"}, {"mapsto", "↦"},    {"lvert", "|"},
    {"rvert", "|"},  {"|", "‖"},         {"cdots", "⋯"},
    {"subset", "⊂"}, {"forall", "∀"},    {"neq", "≠"},
    {"sim", "∼"},    {"ldots", "…"},     {"{", "{"},
    {"}", "}"},      {"mid", "∣"},       {"propto", "∝"},
    {"mp", "∓"},     {"nabla", "∇"},     {"leftrightarrow", "↔"},
});
constexpr auto accents = std::to_array<Entry>({
    {"dot", "˙"},
    {"ddot", "¨"},
    {"dddot", "⃛"},
    {"hat", "^"},
    {"tilde", "~"},
    {"bar", "¯"},
    {"vec", "→"},
});
constexpr auto spaces = std::to_array<Entry>({
    {"qquad", "2em"},
    {"quad", "1em"},
    {",", "0.17em"},
    {";", "0.28em"},
    {" ", "0.33em"},
    {":", "0.22em"},
    {"!", "-0.17em"},
});
constexpr auto functions =
    std::to_array<std::string_view>({"sin", "cos", "tan", "log", "ln", "exp", "det", "max", "min",
                                     "sup", "inf", "lim", "sgn", "arg", "ker", "dim", "tr"});
/// Letters of \mathcal that Unicode has outside of its block.
constexpr auto scripts = std::to_array<Entry>({
    {"B", "ℬ"},
    {"E", "ℰ"},
    {"F", "ℱ"},
    {"H", "ℋ"},
    {"I", "ℐ"},
    {"L", "ℒ"},
    {"M", "ℳ"},
    {"R", "ℛ"},
});

constexpr std::string_view upright = " mathvariant=\"normal\"";
/// Whether a bar opens or closes is not written.
constexpr std::string_view bar = " stretchy=\"false\" lspace=\"0\" rspace=\"0\"";

template <class Table>
std::string_view found(const Table& table, std::string_view name) {
  for (const auto& [key, text] : table)
    if (key == name) return text;
  return {};
}
bool is_function(std::string_view name) {
  return std::find(functions.begin(), functions.end(), name) != functions.end();
}
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string tag(std::string_view name, const std::string& content, std::string_view more = "") {
  std::string out("<");
  out.append(name).append(more).append(">").append(content).append("</").append(name);
  return out + ">";
}
std::string mo(std::string_view text, std::string_view more = "") {
  return tag("mo", escaped(text), more);
}

/// U+1D49C is the script A.
std::string script(char c) {
  const std::string_view known = found(scripts, std::string_view(&c, 1));
  if (!known.empty()) return std::string(known);
  const unsigned code = 0x1D49Cu + static_cast<unsigned>(c - 'A');
  return {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 63)),
          static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
}

class Formula {
 public:
  explicit Formula(std::string_view tex) : tex_(tex) {}
  std::string text() {
    std::string out = row();
    if (at_ < tex_.size()) refuse("what closes nothing");
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error("formula \"" + std::string(tex_) + "\": " + what);
  }
  void skip_blanks() {
    while (at_ < tex_.size() && (tex_[at_] == ' ' || tex_[at_] == '\n')) ++at_;
  }
  /// The name after a backslash that comes next, not taken; empty if none does.
  std::string_view command() const {
    if (at_ + 1 >= tex_.size() || tex_[at_] != '\\') return {};
    std::size_t end = at_ + 1;
    while (end < tex_.size() && is_letter(tex_[end])) ++end;
    return tex_.substr(at_ + 1, std::max<std::size_t>(1, end - at_ - 1));
  }
  bool take(std::string_view text) {
    skip_blanks();
    if (tex_.substr(at_).substr(0, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  /// Does the row end here?
  bool at_end() {
    skip_blanks();
    if (at_ >= tex_.size() || tex_[at_] == '}' || tex_[at_] == '&') return true;
    const std::string_view name = command();
    return name == "right" || name == "end" || name == "\\";
  }
  std::string row() {
    std::string out;
    while (!at_end()) out += scripted();
    return out;
  }
  std::string scripted() {
    skip_blanks();
    const std::string_view name = command();
    const bool above = name == "sum" || name == "prod" || name == "max" || name == "min" ||
                       name == "sup" || name == "inf" || name == "lim";
    std::string base = atom(), below, over;
    for (bool more = true; more;) {
      more = false;
      if (take("_")) below = argument(), more = true;
      if (take("^")) over += argument(), more = true;
      while (take("'")) over += mo("′"), more = true;
    }
    if (!over.empty()) over = tag("mrow", over);
    if (below.empty() && over.empty()) return base;
    const std::string_view with = over.empty()    ? (above ? "munder" : "msub")
                                  : below.empty() ? (above ? "mover" : "msup")
                                                  : (above ? "munderover" : "msubsup");
    return tag(with, base + below + over);
  }
  std::string group() {
    if (!take("{")) return atom();
    std::string out = tag("mrow", row());
    if (!take("}")) refuse("a brace is not closed");
    return out;
  }
  std::string atom() {
    skip_blanks();
    if (at_ >= tex_.size()) refuse("it ends early");
    const char c = tex_[at_];
    if (c == '{') return group();
    if (c == '\\') return of_command();
    if (is_digit(c)) {
      ++at_;
      std::string digits(1, c);
      while (at_ < tex_.size() && (is_digit(tex_[at_]) || is_point())) digits += tex_[at_++];
      return tag("mn", digits);
    }
    ++at_;
    if (is_letter(c)) return tag("mi", std::string(1, c));
    if (c == '-') return mo("−");
    if (c == '|') return mo("|", bar);
    if (c == '(' || c == ')' || c == '[' || c == ']')
      return mo(std::string_view(&c, 1), " stretchy=\"false\"");
    if (c == '=' && take(":")) return mo("=:");
    std::string one(1, c);
    while (at_ < tex_.size() && (static_cast<unsigned char>(tex_[at_]) & 0xC0) == 0x80)
      one += tex_[at_++];  // the rest of a character of UTF-8
    return mo(one);
  }
  bool is_point() const {
    return tex_[at_] == '.' && at_ + 1 < tex_.size() && is_digit(tex_[at_ + 1]);
  }
  /// Of a number the first digit alone: \tfrac12 has two arguments.
  std::string argument() {
    skip_blanks();
    if (at_ < tex_.size() && is_digit(tex_[at_])) return tag("mn", std::string(1, tex_[at_++]));
    return group();
  }
  std::string word() {
    if (!take("{")) refuse("a brace is missing");
    const std::size_t end = tex_.find('}', at_);
    if (end == std::string_view::npos) refuse("a brace is not closed");
    std::string out(tex_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }
  std::string of_command() {
    const std::string name(command());
    if (name.empty()) refuse("it ends with a backslash");
    at_ += 1 + name.size();
    if (const auto s = found(spaces, name); !s.empty())
      return "<mspace width=\"" + std::string(s) + "\"/>";
    if (const auto s = found(letters, name); !s.empty())
      return tag("mi", std::string(s),
                 std::isupper(static_cast<unsigned char>(name[0])) != 0 ? upright : "");
    if (const auto s = found(operators, name); !s.empty())
      return mo(s, name.ends_with("Vert") || name.ends_with("vert") ? bar : "");
    if (const auto s = found(accents, name); !s.empty())
      return tag("mover", argument() + mo(s, " stretchy=\"false\""), " accent=\"true\"");
    if (is_function(name)) {
      skip_blanks();
      const bool apart = at_ < tex_.size() && (tex_[at_] == '\\' || is_letter(tex_[at_]));
      return tag("mi", name) + (apart ? "<mspace width=\"0.17em\"/>" : "");
    }
    if (name == "frac" || name == "tfrac" || name == "dfrac") {
      const std::string above = argument(), below = argument();
      const std::string out = tag("mfrac", above + below);
      return name == "tfrac" ? tag("mstyle", out, " displaystyle=\"false\"") : out;
    }
    if (name == "sqrt") return tag("msqrt", argument());
    if (name == "text") return tag("mtext", escaped(word()));
    if (name == "mathrm") return tag("mi", escaped(word()), upright);
    if (name == "mathcal" || name == "mathbb") return calligraphic();
    if (name == "textstyle") return "";  // of sums, whose limits stand beside them anyhow
    if (name == "left") return fenced();
    if (name == "begin") return matrix();
    refuse("\\" + name + " is not known");
  }
  std::string calligraphic() {
    const bool braces = take("{");
    skip_blanks();
    if (at_ >= tex_.size() || tex_[at_] < 'A' || tex_[at_] > 'Z') refuse("a capital is missing");
    std::string out = tag("mi", script(tex_[at_++]));
    if (braces && !take("}")) refuse("a brace is not closed");
    return out;
  }
  std::string delimiter() {
    skip_blanks();
    if (at_ >= tex_.size()) refuse("a delimiter is missing");
    if (tex_[at_] != '\\') return std::string(1, tex_[at_++]);
    const std::string name(command());
    at_ += 1 + name.size();
    return std::string(found(operators, name));
  }
  std::string fenced() {
    const std::string open = delimiter();
    const std::string inside = row();
    if (!take("\\right")) refuse("\\left without \\right");
    const std::string close = delimiter();
    const auto fence = [](const std::string& d) {
      return d == "." || d.empty() ? std::string() : mo(d, " fence=\"true\" stretchy=\"true\"");
    };
    return tag("mrow", fence(open) + inside + fence(close));
  }
  std::string matrix() {
    const std::string kind = word();
    if (kind != "bmatrix" && kind != "pmatrix" && kind != "cases" && kind != "aligned")
      refuse(kind + " is not known");
    std::string rows, cells;
    for (;;) {
      cells += tag("mtd", row());
      if (take("&")) continue;
      rows += tag("mtr", cells);
      cells.clear();
      if (!take("\\\\")) break;
    }
    if (!take("\\end") || word() != kind) refuse("\\begin without \\end");
    const std::string table = tag("mtable", rows);
    const auto fence = [](const char* d) { return mo(d, " fence=\"true\" stretchy=\"true\""); };
    if (kind == "aligned") return table;
    if (kind == "cases") return tag("mrow", fence("{") + table);
    return tag("mrow", kind == "bmatrix" ? fence("[") + table + fence("]")
                                         : fence("(") + table + fence(")"));
  }

  std::string_view tex_;
  std::size_t at_ = 0;
};

}  // namespace

std::string mathml(std::string_view tex, bool display) {
  return tag("math", tag("mrow", Formula(tex).text()), display ? " display=\"block\"" : "");
}

}  // namespace torsor::report
