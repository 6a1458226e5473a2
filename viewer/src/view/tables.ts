/// Numbers of the present state: the tool's pose, M, C, J, g and tau.
import { button, element } from "../dom";
import type { RobotAnswer, StateAnswer } from "./api";

/// Four digits.
function shown(x: number): string {
  if (x === 0 || Math.abs(x) < 1e-12) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : x.toPrecision(4);
  return text.replaceAll("-", "−").replace("e+", "e");
}

/// Without a minus before zeros.
export function fixed(x: number, digits: number): string {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/// A cell that also has its number in full.
function cell(x: number): HTMLElement {
  return element("td", { "data-value": String(x), title: String(x) }, shown(x));
}

function matrix(rows: string[], columns: string[], values: number[][]): HTMLElement {
  const head = element("tr", {}, element("th", {}));
  for (const name of columns) head.append(element("th", { scope: "col" }, name));
  const body = element("tbody");
  values.forEach((row, k) => {
    const line = element("tr", {}, element("th", { scope: "row" }, rows[k]));
    for (const x of row) line.append(cell(x));
    body.append(line);
  });
  return element("div", { class: "scroll" },
    element("table", {}, element("thead", {}, head), body));
}

const twist = ["ωx", "ωy", "ωz", "vx", "vy", "vz"];

export class Tables {
  readonly root = element("div", { class: "tables" });
  readonly pose = element("dl", { class: "pose" });
  private readonly holder = element("div", { role: "tabpanel" });
  private readonly caption = element("p", { class: "claim", id: "matrix-caption" });
  private chosen = "M";
  private last: StateAnswer | null = null;

  constructor(private readonly robot: RobotAnswer) {
    const tabs = element("div", { class: "tabs", role: "tablist" });
    const titles: Record<string, string> = {
      M: "Mass matrix",
      C: "Coriolis matrix",
      J: "Jacobian of the tool",
      forces: "Gravity and torques",
    };
    for (const [name, title] of Object.entries(titles)) {
      const tab = button(name === "forces" ? "g, τ" : name, title, () => {
        this.chosen = name;
        for (const other of tabs.children)
          other.setAttribute("aria-selected", String(other === tab));
        if (this.last) this.show(this.last);
      });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(name === this.chosen));
      tabs.append(tab);
    }
    this.root.append(tabs, this.caption, this.holder);
  }

  /// What the table is, and in which units: those of joints that turn and that slide differ.
  private told(state: StateAnswer): string {
    const measures = new Set(this.robot.dofs.map((d) => d.measure));
    const [turns, slides] = [measures.has("angle"), measures.has("length")];
    const mixed = (both: string, angle: string, length: string): string =>
      turns && slides ? both : slides ? length : angle;
    const still = state.qd.every((x) => x === 0);
    switch (this.chosen) {
      case "M":
        return `Mass matrix M(q) with rotors, ${mixed("kg m² where two joints turn, kg m where one slides, kg where both do", "kg m²", "kg")}.`;
      case "C":
        return `Coriolis matrix C(q, q̇), ${mixed("N m s/rad where two joints turn, N s where one slides, N s/m where both do", "N m s/rad", "N s/m")}.` +
          (still ? " Zero at rest: type velocities above." : "");
      case "J":
        return `Jacobian of ${state.tool.frame} (${state.reference}): rows ω in rad/s, v in m/s, of a unit velocity of each joint.`;
      default:
        return `Gravity, and the torques τ of q, q̇, q̈ as they are, ${mixed("N m; N where a joint slides", "N m", "N")}.`;
    }
  }

  show(state: StateAnswer): void {
    this.last = state;
    this.show_pose(state);
    const dofs = this.robot.dofs.map((d) => d.name);
    const { M, C, J, g, tau } = state.matrices;
    const table = {
      M: () => matrix(dofs, dofs, M),
      C: () => matrix(dofs, dofs, C),
      J: () => matrix(twist, dofs, J),
      forces: () => matrix(dofs, ["gravity", "τ"], g.map((x, k) => [x, tau[k]])),
    }[this.chosen]!();
    this.caption.textContent = this.told(state);
    this.holder.replaceChildren(table);
  }

  private show_pose(state: StateAnswer): void {
    const T = state.tool.T;
    const entries: [string, string, number, string][] = [
      ["x", "tool-x", T[3], "m"],
      ["y", "tool-y", T[7], "m"],
      ["z", "tool-z", T[11], "m"],
      ["roll", "tool-roll", state.tool.rpy[0], "rad"],
      ["pitch", "tool-pitch", state.tool.rpy[1], "rad"],
      ["yaw", "tool-yaw", state.tool.rpy[2], "rad"],
      ["manipulability", "tool-manipulability", state.tool.manipulability, ""],
    ];
    this.pose.replaceChildren();
    for (const [name, id, value, unit] of entries)
      this.pose.append(
        element("div", {}, element("dt", {}, name),
          element("dd", { id, "data-value": String(value), title: String(value) },
            `${fixed(value, 5).replace("-", "−")} ${unit}`)),
      );
  }
}
