/// The bar under the robot and the choices beside it.
import { button, element } from "./dom";
import type { Player } from "./player";

/// To a hundredth of a second, of short runs to a hundredth of the run.
function clock_text(t: number, span: number): string {
  const digits = span > 0 && span < 1 ? 2 - Math.floor(Math.log10(span)) : 2;
  const text = digits > 6 && t !== 0 ? t.toExponential(2) : t.toFixed(Math.min(digits, 6));
  return text.replaceAll("-", "−");
}

/// Of playing, in seconds a second.
const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class PlayBar {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly speed: HTMLSelectElement;
  private readonly clock = element("output", { class: "clock" });

  constructor(private readonly player: Player) {
    this.play = button("", "Play or pause (space)", () => player.toggle());
    this.play.className = "play";
    this.scrub = element("input", {
      type: "range",
      min: String(player.start),
      max: String(player.end),
      step: "any",
      "aria-label": "Time",
      class: "scrub",
    });
    this.scrub.addEventListener("input", () => player.seek(Number(this.scrub.value)));
    this.speed = element("select", { "aria-label": "Speed", title: "Speed" });
    for (const factor of speeds)
      this.speed.append(element("option", { value: String(factor) }, `${factor}×`));
    this.speed.addEventListener("change", () => (player.speed = Number(this.speed.value)));
    const back = button("", "To the start (Home)", () => player.seek(player.start));
    back.className = "back";
    this.root = element(
      "div",
      { class: "playbar", role: "group", "aria-label": "Playback" },
      back,
      this.play,
      this.scrub,
      this.clock,
      this.speed,
    );
    this.show();
  }
  /// The next speed of the list, slower or faster.
  change_speed(by: -1 | 1): void {
    const at = speeds.indexOf(this.player.speed) + by;
    this.player.speed = speeds[Math.min(Math.max(at, 0), speeds.length - 1)];
    this.show();
  }
  show(): void {
    const { player } = this;
    const span = player.end - player.start;
    const text = clock_text(player.time, span);
    const share = (player.time - player.start) / Math.max(span, 1e-300);
    this.play.classList.toggle("on", player.playing);
    this.play.setAttribute("aria-pressed", String(player.playing));
    this.scrub.min = String(player.start);
    this.scrub.max = String(player.end);
    this.scrub.value = String(player.time);
    this.scrub.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    this.scrub.setAttribute("aria-valuetext", `${text} s`);
    this.speed.value = String(player.speed);
    this.clock.textContent = `${text} / ${clock_text(player.end, span)} s`;
  }
}

export interface Choice {
  label: string;
  title: string;
  on: boolean;
  set(on: boolean): void;
}

/// Check boxes in a menu that opens.
export function choices(label: string, list: Choice[]): HTMLElement {
  const menu = element("div", { class: "menu" });
  for (const choice of list) {
    const box = element("input", { type: "checkbox" });
    box.checked = choice.on;
    box.addEventListener("change", () => choice.set(box.checked));
    menu.append(element("label", { title: choice.title }, box, choice.label));
  }
  const fold = element("details", { class: "choices" }, element("summary", {}, label), menu);
  document.addEventListener("click", (event) => {
    if (fold.open && !fold.contains(event.target as Node)) fold.open = false;
  });
  return fold;
}

const keys: [string, string][] = [
  ["Space", "play, pause"],
  ["← →", "0.1 s back, on; with Shift 1 s"],
  ["Home, End", "to the start, to the end"],
  ["+ −", "zoom the plots around the time"],
  ["0", "plots over the whole time"],
  ["[ ]", "slower, faster"],
  ["A D W S", "orbit; Q E: nearer, farther; R: as at first"],
  ["F", "follow the tool"],
  ["drag on a plot", "zoom; with Shift pan; double click: whole time"],
  ["?", "this list"],
];

export function help_dialog(): HTMLDialogElement {
  const list = element("dl", {});
  for (const [key, what] of keys) list.append(element("dt", {}, key), element("dd", {}, what));
  const dialog = element("dialog", { class: "help", "aria-label": "Keys" });
  dialog.append(element("h2", {}, "Keys"), list, button("Close", "Close", () => dialog.close()));
  return dialog;
}
