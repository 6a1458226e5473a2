/// All plots of a section, made as they come into sight.
import { type GroupData, Times } from "./data";
import { element } from "./dom";
import { type Desk, Panel } from "./panel";

export class Charts {
  readonly root = element("div", { class: "charts" });
  readonly panels: Panel[] = [];
  private readonly by_element = new Map<Element, Panel>();
  private readonly sight: IntersectionObserver;
  private readonly sizes: ResizeObserver;

  constructor(groups: GroupData[], times: Times, desk: Desk) {
    this.sight = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const panel = this.by_element.get(entry.target);
          if (!panel) continue;
          if (entry.isIntersecting) panel.appear();
          else panel.seen = false;
        }
      },
      { rootMargin: "240px" },
    );
    this.sizes = new ResizeObserver((entries) => {
      for (const entry of entries) this.by_element.get(entry.target)?.resize();
    });
    for (const group of groups) this.add(group, times, desk);
  }
  each(visit: (panel: Panel) => void): void {
    for (const panel of this.panels) visit(panel);
  }
  show_time(): void {
    for (const panel of this.panels) panel.show_time();
  }
  dispose(): void {
    this.sight.disconnect();
    this.sizes.disconnect();
  }

  private add(group: GroupData, times: Times, desk: Desk): void {
    const grid = element("div", { class: "panels" });
    for (const data of group.panels) {
      const panel = new Panel(data, group.title, times, desk);
      this.panels.push(panel);
      this.by_element.set(panel.root, panel);
      grid.append(panel.root);
      this.sight.observe(panel.root);
      this.sizes.observe(panel.root);
    }
    const fold = element("details", { class: "group" });
    fold.open = !group.folded;
    fold.append(
      element("summary", {}, group.title, " ", element("small", {}, group.remark)),
      grid,
    );
    this.root.append(fold);
  }
}
