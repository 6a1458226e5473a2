/// A plot as PNG, SVG and CSV: what is shown, in the stretch of time that is shown.
import uPlot from "uplot";
import { css_colour } from "./dom";
import { figure } from "./data";
import type { DrawnCurve, Panel } from "./panel";

function csv_cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/// Nothing where a curve has no point at a time.
export function curves_csv(curves: { name: string; curve: DrawnCurve }[]): string {
  if (curves.length === 0) return "t\n";
  const joined = uPlot.join(
    curves.map(({ curve }) => [Array.from(curve.times), Array.from(curve.y)] as uPlot.AlignedData),
  );
  const lines = [["t", ...curves.map(({ name }) => csv_cell(name))].join(",")];
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

/// 640 by 360, white or dark as the page is, with a legend.
export function panel_svg(panel: Panel): string {
  const [W, H, left, right, top, bottom] = [640, 360, 64, 16, 40, 64];
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
  const margin = 0.06 * (high - low) || 1;
  low -= margin;
  high += margin;
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
  for (const v of ticks(low, high, 5)) {
    out += line(left, Y(v), W - right, Y(v));
    out += text(left - 8, Y(v) + 4, "end", log ? `1e${+v.toFixed(2)}` : figure(v).replace(/\.?0+$/, ""));
  }
  for (const t of ticks(from, to, 8)) {
    out += line(X(t), top, X(t), H - bottom);
    out += text(X(t), H - bottom + 16, "middle", String(+t.toPrecision(6)));
  }
  out += text(left, 24, "start", `${panel.title}${panel.data.unit ? ` [${panel.data.unit}]` : ""}`, "600");
  out += text(W - right, H - bottom + 32, "end", "t [s]");
  let place = left;
  for (const c of curves) {
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
    out += `<path d="M${place} ${H - 16}h20" stroke="${colour}" stroke-width="2.5"${dash}/>`;
    out += text(place + 26, H - 12, "start", c.label);
    place += 44 + 7 * c.label.length;
  }
  return out + "</svg>\n";
}

/// The SVG at twice its size.
export async function panel_png(panel: Panel): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(panel_svg(panel))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 1280;
  canvas.height = 720;
  canvas.getContext("2d")!.drawImage(image, 0, 0, 1280, 720);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"),
  );
}
