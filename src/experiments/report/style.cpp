// The look of a report.
#include "report/parts.hpp"

namespace torsor::report {

std::string plot_style() {
  // Eight hues that stay apart for colour-blind readers and in print, then the grey of what is
  // desired; brighter on dark ground.
  std::string css =
      ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--faint:#68717c;--grid:#e8eaed;"
      "--rule:#c9ced4;--yes:#1a7f4b;--no:#b3261e;"
      "--k0:#0b62a8;--k1:#d1495b;--k2:#1f8a70;--k3:#b8770a;--k4:#7a52b3;--k5:#2b2f36;--k6:#0fa3b1;"
      "--k7:#a3472a;--k8:#8a929b}\n"
      "@media(prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e6e8eb;--faint:#9aa3ad;"
      "--grid:#262b31;--rule:#4a525b;--yes:#58c48d;--no:#ff8a80;"
      "--k0:#5aaef2;--k1:#ff7f8e;--k2:#4fd0ac;--k3:#f0b44a;--k4:#b996f0;--k5:#d5d9de;--k6:#55d7e3;"
      "--k7:#f09672;--k8:#7d8791}}\n"
      "svg text{font-size:11px;fill:var(--faint);font-variant-numeric:tabular-nums}"
      "svg .h{font-size:12.5px;font-weight:600;fill:var(--ink)}"
      "svg .m{text-anchor:middle}svg .e,svg .u{text-anchor:end}"
      "svg path{fill:none}svg .g{stroke:var(--grid)}svg .z,svg .a{stroke:var(--rule)}"
      "svg .l{stroke:var(--no);stroke-dasharray:2 4;opacity:.8}"
      "svg .c{stroke:currentColor;stroke-width:15;stroke-linejoin:round;stroke-linecap:round}"
      "svg .d{stroke-dasharray:50 40}.c:hover{stroke-width:28}";
  for (int k = 0; k <= Palette::size; ++k) {
    const std::string n = std::to_string(k);
    css.append(".k").append(n).append("{color:var(--k").append(n).append(")}");
  }
  return css;
}

std::string style(const Palette& palette) {
  std::string css =
      plot_style() +
      "*{box-sizing:border-box}"
      "body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 "
      "system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif}"
      "main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}"
      "h1{font-size:28px;line-height:1.25;margin:0 0 6px;letter-spacing:-.01em}"
      "h2{font-size:22px;margin:44px 0 4px;padding-top:16px;border-top:1px solid var(--rule)}"
      "h3{font-size:16px;margin:30px 0 6px}small,.remark{color:var(--faint);font-weight:400;"
      "font-size:13px}p{margin:4px 0 12px;max-width:80ch}.lead{color:var(--faint)}"
      ".legend{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:4px 20px;"
      "padding:10px 0;margin:14px 0 0;background:var(--ground);border-bottom:1px solid var(--rule)}"
      ".legend label{display:flex;align-items:center;gap:7px;cursor:pointer;font-size:14px}"
      ".legend input{position:absolute;opacity:0}"
      ".legend input:focus-visible+i{outline:2px solid var(--ink);outline-offset:2px}"
      ".legend i{width:22px;height:0;border-top:3px solid}.legend i.d{border-top-style:dashed}"
      ".legend input:not(:checked)~*{opacity:.3}"
      ".names{font-size:13px;max-width:none}.names span{white-space:nowrap;margin-right:8px}"
      ".names i{display:inline-block;width:18px;border-top:3px solid;margin:0 6px 3px 4px}"
      ".names i.d{border-top-style:dashed}"
      ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(330px,100%),1fr));"
      "gap:10px 18px}svg{width:100%;height:auto;display:block;overflow:visible}"
      // Shades at the edges that have more behind them.
      ".scroll{overflow-x:auto;margin:8px 0;background:"
      "linear-gradient(to right,var(--ground) 30%,transparent) 0 0/40px 100%,"
      "linear-gradient(to left,var(--ground) 30%,transparent) 100% 0/40px 100%,"
      "linear-gradient(to right,var(--rule),transparent) 0 0/10px 100%,"
      "linear-gradient(to left,var(--rule),transparent) 100% 0/10px 100%;"
      "background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}"
      ".facts td,.cases td{overflow-wrap:anywhere}ul.theory{margin:0 0 "
      "12px;padding-left:20px;font-size:14px}"
      "a{color:var(--k0)}details.theory{margin:8px 0}details.theory>div{padding:2px 0 10px 20px}"
      "details.theory p{max-width:86ch;overflow-x:auto;overflow-y:hidden}summary "
      "small{margin-left:6px}"
      "details.theory th{font-weight:400}math{font-family:'Latin Modern Math','STIX Two Math',"
      "'Cambria Math','Libertinus Math','DejaVu Math TeX Gyre','Noto Sans Math',math;"
      "font-size:1.08em}details.theory .scroll{padding:2px "
      "0;max-width:86ch}math[display=block]{margin:4px 0 8px;"
      "text-align:left}"
      ".stopped{margin:4px 0 12px;padding:8px 14px;list-style:none;border-left:4px solid "
      "var(--no);background:color-mix(in srgb,var(--no) 8%,var(--ground))}"
      ".heat td{text-align:center;padding:5px 10px}.heat thead th{text-align:center;padding:5px "
      "10px}"
      ".legend+section>h2:first-child{border-top:0;margin-top:14px}"
      "@media(max-width:600px){.facts,.facts tbody,.facts tr,.facts th,.facts td{display:block}"
      ".facts th{border-bottom:0;padding-bottom:0;color:var(--faint);white-space:normal}"
      "main{padding-left:16px;padding-right:16px}}"
      "table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}"
      "th,td{text-align:left;padding:5px 14px 5px 0;border-bottom:1px solid var(--grid);"
      "vertical-align:top}thead th{color:var(--faint);font-weight:500;font-size:13px;"
      "border-bottom-color:var(--rule);white-space:nowrap}tbody th{font-weight:500;"
      "white-space:nowrap}.n{white-space:nowrap}.best{font-weight:700}"
      ".yes{color:var(--yes);white-space:nowrap}.no{color:var(--no)}.open{color:var(--no);white-"
      "space:nowrap}"
      ".dot{display:inline-block;width:9px;height:9px;border-radius:50%;margin-right:8px;"
      "background:currentColor}"
      "details{margin:18px 0}summary{cursor:pointer;font-weight:600;padding:4px 0}"
      "footer{margin-top:48px;color:var(--faint);font-size:13px}"
      "@media print{.legend{position:static}details{display:block}.scroll{overflow:visible;"
      "background:none}table{font-size:9px;max-width:100%}th,td{padding:3px 6px 3px 0;"
      "overflow-wrap:break-word}thead th,small,.remark{font-size:8.5px}thead th,tbody th,.yes,.open"
      "{white-space:normal}.facts td{overflow-wrap:anywhere}"
      "h2,h3{break-after:avoid}tr,figure,.grid>svg{break-inside:avoid}}\n";
  for (const std::string& name : palette.names()) {
    const std::string run = palette.run_class(name);
    css.append("body:has(#").append(run).append(":not(:checked)) .").append(run);
    css += "{display:none}";
  }
  return css;
}

}  // namespace torsor::report
