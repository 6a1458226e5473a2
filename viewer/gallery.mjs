// Robots beside each other as the pages draw them, for documents: node gallery.mjs OUT.webp
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, launch, open, torsor, write } from "./tests/browser.mjs";
import { as_webp } from "./picture.mjs";

const robots = {
  ur5: [0.5, -1.1, 1.6, -2.0, -1.3, 0],
  panda: [0.4, -0.5, 0, -2.0, 0, 1.9, 0.8],
  iiwa14: [0.5, 0.6, 0, -1.4, 0, 0.9, 0],
  scara: [0.5, -1.1, 0.06, 0],
  stanford: [0.5, 0.7, 0.45, 0.3, 0.8, 0],
  palletiser: null,
  four_bar: null,
  humanoid38: null,
};
const [width, height] = [320, 320];

const browser = await launch();
const tiles = [];
for (const [robot, q] of Object.entries(robots)) {
  write("pose.yaml", `robot: ${robot}
controller: {law: none}
${q ? `start: {q: [${q}]}` : ""}
run: {duration: 1e-6}
`);
  torsor(["simulate", "pose.yaml", "--report", "pose.html", "--force"]);
  const { page, context } = await open(browser, join(folder, "pose.html"), { deviceScaleFactor: 2 });
  tiles.push([robot, await page.evaluate(async ([w, h]) => {
    const { scene } = window.torsor.stage;
    const { canvas } = scene;
    canvas.style.cssText = `width: ${w}px; height: ${h}px; position: fixed`;
    scene.setShadows(true);
    scene.resize();
    window.torsor.stage.reset_view();
    await new Promise((done) => setTimeout(done, 500));
    scene.resize();
    return scene.picture();
  }, [width, height])]);
  await context.close();
}
const page = await browser.newPage({ viewport: { width: 4 * width, height: 2 * (height + 28) } });
await page.setContent(`<style>
  body { margin: 0; display: grid; grid-template-columns: repeat(4, 1fr); background: #fff; }
  figure { margin: 0; font: 600 15px system-ui, sans-serif; color: #33415c; text-align: center; }
  img { width: 100%; height: ${height}px; display: block; }
  figcaption { height: 28px; }
</style>${tiles.map(([robot, data]) => `<figure><img src="${data}"><figcaption>${robot}</figcaption></figure>`).join("")}`);
await page.waitForTimeout(500);
writeFileSync(process.argv[2], await as_webp(browser, await page.screenshot()));
await browser.close();
