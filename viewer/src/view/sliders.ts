/// Controls of the joints: a slider with limits and a number for each coordinate; buttons for
/// joints without plain coordinates.
import { button, element } from "../dom";
import type { Coordinate, RobotAnswer, StateAnswer } from "./api";
import { fixed } from "./tables";

export interface Moves {
  slide(coordinate: number, value: number): void;
  nudge(dof: number, by: number): void;
}

const unit_of = { angle: "rad", length: "m", none: "" };

/// Where a joint has no limits the slider goes this far.
function range_of(c: Coordinate, size: number): [number, number] {
  const most = c.measure === "length" ? 1.5 * size : Math.PI;
  return [c.lower ?? -most, c.upper ?? most];
}

const limit = (x: number): string => String(+x.toFixed(3)).replace("-", "−");

export class Sliders {
  readonly root = element("div", { class: "sliders" });
  private readonly rows: { slider: HTMLInputElement; number: HTMLInputElement; index: number }[] =
    [];

  constructor(robot: RobotAnswer, size: number, moves: Moves) {
    for (const body of robot.bodies) {
      const [first, count] = body.q;
      const plain = robot.coordinates.slice(first, first + count).every((c) => c.measure !== "none");
      if (plain)
        for (let k = first; k < first + count; ++k)
          this.add(k, robot.coordinates[k], size, moves);
      else this.add_buttons(robot, body.v, size, moves);
    }
  }
  show(state: StateAnswer): void {
    for (const { slider, number, index } of this.rows) {
      if (document.activeElement !== slider) slider.value = String(state.q[index]);
      if (document.activeElement !== number) number.value = fixed(state.q[index], 4);
      slider.dataset.value = String(state.q[index]);
      const outside =
        state.q[index] < Number(slider.min) - 1e-12 || state.q[index] > Number(slider.max) + 1e-12;
      slider.closest(".slider")?.classList.toggle("outside", outside);
    }
  }

  private add(index: number, c: Coordinate, size: number, moves: Moves): void {
    const [low, high] = range_of(c, size);
    const name = `${c.name}, ${unit_of[c.measure]}`;
    const slider = element("input", {
      type: "range",
      min: String(low),
      max: String(high),
      step: "any",
      "aria-label": name,
      "data-coordinate": String(index),
    });
    const number = element("input", { type: "number", step: "0.01", "aria-label": `${name}, as a number` });
    slider.addEventListener("input", () => moves.slide(index, slider.valueAsNumber));
    number.addEventListener("change", () => {
      if (Number.isFinite(number.valueAsNumber)) moves.slide(index, number.valueAsNumber);
    });
    const limits =
      c.lower === null && c.upper === null
        ? "no limits"
        : `${c.lower === null ? "−∞" : limit(c.lower)} to ${c.upper === null ? "∞" : limit(c.upper)}`;
    this.root.append(
      element("label", { class: "slider", title: `${c.name}: ${limits}` },
        element("span", {}, c.name, element("small", { class: "limits" }, limits)), slider, number, element("small", {}, unit_of[c.measure])),
    );
    this.rows.push({ slider, number, index });
  }

  private add_buttons(
    robot: RobotAnswer, [first, count]: [number, number], size: number, moves: Moves,
  ): void {
    for (let k = first; k < first + count; ++k) {
      const dof = robot.dofs[k];
      const step = dof.measure === "length" ? 0.02 * size : 0.05;
      this.root.append(
        element("div", { class: "slider", title: dof.name }, element("span", {}, dof.name),
          button("−", `${dof.name} backwards`, () => moves.nudge(k, -step)),
          button("+", `${dof.name} forwards`, () => moves.nudge(k, step))),
      );
    }
  }
}
