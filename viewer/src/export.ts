/// A plot as PNG, SVG and CSV: what is shown, in the stretch of time that is shown.
import uPlot from "uplot";
import { typeset } from "./data";
import { css_colour } from "./dom";
import type { DrawnCurve, Panel } from "./panel";

function csv_cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/// Nothing where a curve has no point at a time.
export function curves_csv(curves: { name: string; curve: DrawnCurve }[]): string {
  if (curves.length === 0) return "t [s]\n";
  const joined = uPlot.join(
    curves.map(({ curve }) => [Array.from(curve.times), Array.from(curve.y)] as uPlot.AlignedData),
  );
  const lines = [["t [s]", ...curves.map(({ name }) => csv_cell(name))].join(",")];
  for (let row = 0; row < joined[0].length; ++row)
    lines.push(
      joined
        .map((column) => {
          const x = column[row] as number | null | undefined;
          return x === null || x === undefined || Number.isNaN(x) ? "" : String(+x.toPrecision(8));
        })
        .join(","),
    );
  return lines.join("\n") + "\n";
}

export function panel_csv(panel: Panel): string {
  const unit = panel.data.unit ? ` [${panel.data.unit}]` : "";
  return curves_csv(
    panel.shown_curves().map((curve) => ({
      name: `${panel.data.title} ${curve.label}${unit}`,
      curve,
    })),
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/// Round numbers between two others.
function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const out: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step)
    out.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return out;
}

/// A tick, to the digits that its neighbours need: 1000, 0.025, 2.5e6.
function tick_text(v: number, step: number): string {
  const size = Math.max(Math.abs(v), step);
  if (v !== 0 && (size < 1e-3 || size >= 1e5))
    return String(+v.toPrecision(4)).includes("e")
      ? String(+v.toPrecision(4)).replace("e+", "e").replaceAll("-", "−")
      : v.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e").replaceAll("-", "−");
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return v.toFixed(digits).replace("-", "−");
}

interface LegendPlace {
  x: number;
  row: number;
  label: string;
}
/// Entries from left to right, in as many rows as they need; labels that are wider than a row are cut.
function legend_places(labels: string[], left: number, width: number): LegendPlace[] {
  const letter = 7.2; // pixels of a character, about
  const longest = Math.floor((width - 44) / letter);
  let [x, row] = [left, 0];
  return labels.map((text) => {
    const label = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
    const wide = 44 + letter * label.length;
    if (x > left && x + wide > left + width) [x, row] = [left, row + 1];
    const place = { x, row, label };
    x += wide;
    return place;
  });
}
export const picture_width = 640;
export function picture_height(panel: Panel): number {
  const labels = panel.shown_curves().map((c) => c.label);
  const rows = Math.max(0, ...legend_places(labels, 64, picture_width - 80).map((p) => p.row));
  return 360 + 18 * rows;
}

/// 640 wide, white or dark as the page is, with a legend below.
export function panel_svg(panel: Panel): string {
  const [W, H, left, right, top] = [picture_width, picture_height(panel), 64, 16, 40];
  const bottom = 64 + H - 360;
  const curves = panel.shown_curves();
  const [from, to] = panel.view;
  const log = panel.is_log;
  const map = (v: number) => (log ? Math.log10(Math.abs(v)) : v);
  let [low, high] = [Infinity, -Infinity];
  for (const c of curves)
    c.y.forEach((v, k) => {
      const y = map(v);
      if (!Number.isFinite(y) || c.times[k] < from || c.times[k] > to) return;
      low = Math.min(low, y);
      high = Math.max(high, y);
    });
  if (!(low <= high)) [low, high] = [-1, 1];
  if (log) {
    const margin = 0.06 * (high - low) || 1;
    [low, high] = [low - margin, high + margin];
  } else {
    [low, high] = panel.y_range(low, high);
  }
  const X = (t: number) => left + ((t - from) / (to - from)) * (W - left - right);
  const Y = (v: number) => H - bottom - ((v - low) / (high - low)) * (H - top - bottom);
  const text = (x: number, y: number, anchor: string, s: string, weight = "400") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-weight="${weight}">` +
    `${escaped(s)}</text>`;
  let out =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${W} ${H}" width="${W}" height="${H}" ` +
    `font-family="sans-serif" font-size="12" fill="${css_colour("--ink")}">` +
    `<rect width="100%" height="100%" fill="${css_colour("--ground")}"/>`;
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<path d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}" ` +
    `stroke="${css_colour("--grid")}"/>`;
  const levels = ticks(low, high, 5);
  const step = levels.length > 1 ? levels[1] - levels[0] : Math.abs(levels[0] ?? 1) || 1;
  for (const v of levels) {
    out += line(left, Y(v), W - right, Y(v));
    out += text(left - 8, Y(v) + 4, "end", log ? `1e${+v.toFixed(2)}` : tick_text(v, step));
  }
  const instants = ticks(from, to, 8);
  const apart = instants.length > 1 ? instants[1] - instants[0] : 1;
  for (const t of instants) {
    out += line(X(t), top, X(t), H - bottom);
    out += text(X(t), H - bottom + 16, "middle", tick_text(t, apart));
  }
  out += text(left, 24, "start", `${panel.title}${panel.data.unit ? ` [${typeset(panel.data.unit)}]` : ""}`, "600");
  out += text(W - right, H - bottom + 32, "end", "t [s]");
  for (const level of panel.limits())
    if (!log && level >= low && level <= high)
      out +=
        `<path d="M${left} ${Y(level).toFixed(1)}H${W - right}" stroke="${css_colour("--no")}" ` +
        `stroke-dasharray="4 6"/>`;
  const places = legend_places(curves.map((c) => c.label), left, W - left - right);
  for (const [k, c] of curves.entries()) {
    const colour = css_colour(c.colour);
    const dash = c.dashed ? ' stroke-dasharray="6 4"' : "";
    let path = "";
    let pen = "M";
    c.y.forEach((v, k) => {
      const y = map(v);
      if (!Number.isFinite(y) || c.times[k] < from || c.times[k] > to) {
        pen = "M";
        return;
      }
      path += `${pen}${X(c.times[k]).toFixed(2)} ${Y(y).toFixed(2)}`;
      pen = "L";
    });
    out += `<path d="${path || "M0 0"}" fill="none" stroke="${colour}" stroke-width="1.6"${dash}/>`;
    const { x, row, label } = places[k];
    const y = 360 - 16 + 18 * row;
    out += `<path d="M${x} ${y}h20" stroke="${colour}" stroke-width="2.5"${dash}/>`;
    out += text(x + 26, y + 4, "start", label);
  }
  return out + "</svg>\n";
}

/// The SVG at twice its size.
export async function panel_png(panel: Panel): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(panel_svg(panel))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * picture_width;
  canvas.height = 2 * picture_height(panel);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"),
  );
}
