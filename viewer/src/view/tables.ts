/// Numbers of the present state: the tool's pose, M, C, J, g and tau.
import { button, element } from "../dom";
import type { RobotAnswer, StateAnswer } from "./api";

function shown(x: number): string {
  if (x === 0 || Math.abs(x) < 1e-12) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(3) : x.toPrecision(5);
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
    this.root.append(tabs, this.holder);
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
            `${value.toFixed(5)} ${unit}`)),
      );
  }
}
