// Pages of the other verbs: sweeps, excitation, contact, recordings without a robot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { folder, launch, open, torsor, write } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
});

const arm = `robot: planar2r
controller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}
reference: {quintic: {from: [0, 1], to: [1, 0], duration: 1}}
start: {q: [0, 1]}
run: {duration: 1.5}
`;

test("a worst case of a sweep is one click away, and bands are drawn", async () => {
  write(
    "sweep.yaml",
    `${arm}sweep:
  samples: 20
  seed: 3
  uncertainties:
    parameter_factor: [0.7, 1.3]
    start_q: [-0.1, 0.1]
`,
  );
  torsor(["sweep", "sweep.yaml", "--report", "sweep.html"]);
  const { page, said, asked, context } = await open(browser, join(folder, "sweep.html"));
  const main = () =>
    page.evaluate(() => {
      const { stage, data } = window.torsor;
      return data.runs[stage.run].name;
    });
  assert.equal(await main(), "as in the file");
  const button = page.locator("table.cases button.choose").nth(1);
  const name = (await button.innerText()).trim();
  await button.click();
  assert.match(name, /^sample \d+$/);
  assert.equal(await main(), name);
  const groups = await page.locator(".group > summary").allInnerTexts();
  assert.ok(groups[0].startsWith("Errors over all samples"), groups[0]);
  // At every time: least <= 5 % <= median <= 95 % <= largest.
  const ordered = await page.evaluate(() => {
    const { curves } = window.torsor.charts.panels[0];
    for (let k = 0; k < curves[0].y.length; ++k)
      for (let c = 1; c < curves.length; ++c) if (curves[c].y[k] < curves[c - 1].y[k]) return false;
    return curves.length === 5;
  });
  assert.equal(ordered, true);
  assert.ok((await page.locator("table.heat td").count()) > 5);
  assert.deepEqual([said, asked], [[], []]);
  await context.close();
});

test("the page of an excitation moves the robot along it", async () => {
  torsor(["excite", "planar2r", "--time", "1", "--period", "4", "--report", "motion.html"]);
  const { page, said, context } = await open(browser, join(folder, "motion.html"));
  const moved = await page.evaluate(() => {
    window.torsor.seek(0.3);
    const a = window.torsor.stage.scene.configuration();
    window.torsor.seek(2.1);
    const b = window.torsor.stage.scene.configuration();
    return Math.max(...a.map((x, k) => Math.abs(x - b[k])));
  });
  assert.ok(moved > 0.01, String(moved));
  assert.deepEqual(said, []);
  await context.close();
});

test("contact forces are arrows where the robot touches", async () => {
  write(
    "wall.yaml",
    `robot: planar2r
plant: {surfaces: [{name: wall, frame: tip, origin: [1.2, 0, 0], normal: [-1, 0, 0], stiffness: 2000, damping: 20}]}
controller: {law: computed_torque, gains: {Kp: 50, Kd: 15}}
reference: {quintic: {from: [1.2, -1.8], to: [0.5, -0.5], duration: 1}}
start: {q: [1.2, -1.8]}
run: {duration: 1.5}
`,
  );
  torsor(["simulate", "wall.yaml", "--report", "wall.html"]);
  const { page, said, context } = await open(browser, join(folder, "wall.html"));
  const lengths = await page.evaluate(() =>
    [0.02, 1.4].map((t) => {
      window.torsor.seek(t);
      const { along } = window.torsor.stage.motions[0].contact_forces(t, 1);
      return Math.hypot(...along);
    }),
  );
  assert.equal(lengths[0], 0);
  assert.ok(lengths[1] > 0.1, String(lengths));
  // The wall is drawn around where it is touched, not from one end of the robot to the other.
  const wall = await page.evaluate(() => {
    const { scene, motions } = window.torsor.stage;
    let found = null;
    scene.world.traverse((o) => {
      if (o.geometry?.type === "PlaneGeometry" && o.isMesh) found = o;
    });
    const { surfaces } = window.torsor.data.sections[0];
    const at = motions[0].path(surfaces[0].body, surfaces[0].point).slice(-3);
    const centre = found.parent.position.toArray();
    return { edge: found.geometry.parameters.width, size: scene.robot.size,
      away: Math.hypot(...centre.map((x, c) => x - at[c])), plane: centre[0] };
  });
  assert.ok(wall.edge < 1.6 * wall.size && wall.away < 0.71 * wall.edge, JSON.stringify(wall));
  assert.ok(Math.abs(wall.plane - 1.2) < 1e-6, JSON.stringify(wall));
  assert.deepEqual(said, []);
  await context.close();
});

test("forces at a surface with friction: that of the surface lies in its cone, that of the base is what the robot takes", async () => {
  write(
    "rough.yaml",
    `robot: planar2r
plant: {surfaces: [{name: wall, frame: tip, origin: [1.2, 0, 0], normal: [-1, 0, 0], stiffness: 2000, damping: 20, friction: 0.4}]}
controller: {law: computed_torque, gains: {Kp: 50, Kd: 15}}
reference: {quintic: {from: [1.2, -1.8], to: [1.265, -1.318], duration: 1}}
start: {q: [1.2, -1.8]}
run: {duration: 1.2, record_every: 0.001}
`,
  );
  torsor(["simulate", "rough.yaml", "--report", "rough.html"]);
  const { page, said, context } = await open(browser, join(folder, "rough.html"));
  const found = await page.evaluate(() => {
    const { stage } = window.torsor;
    const [motion] = stage.motions;
    const { bodies, up } = stage.robot;
    const { forces, contact, times, poses } = motion;
    const n = bodies.length - 1;
    const turned = ([x, y, z, w], v) => {
      const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
      return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
        v[2] + w * t[2] + x * t[1] - y * t[0]];
    };
    const centre = (k) => {
      const sum = [0, 0, 0];
      for (let i = 0; i < n; ++i) {
        const { inertia } = bodies[i + 1];
        if (!inertia) continue;
        const first = 7 * (k * n + i);
        const com = turned(Array.from(poses.slice(first + 3, first + 7)), inertia.com);
        for (let c = 0; c < 3; ++c) sum[c] += inertia.mass * (poses[first + c] + com[c]);
      }
      return sum;
    };
    const mass = bodies.reduce((m, b, i) => m + (i > 0 && b.inertia ? b.inertia.mass : 0), 0);
    const { body, point } = window.torsor.data.sections[0].surfaces[0];
    const tip = motion.path(body, point);
    const moved = (k, c) => tip[3 * (k + 1) + c] - tip[3 * (k - 1) + c];
    const slides = (k) => Math.hypot(moved(k, 1), moved(k, 2)) / (times[k + 1] - times[k - 1]) > 0.05;
    let [cone, checked, worst, off_cone, gains] = [0, 0, 0, 0, 0];
    const step = 6;
    for (let k = step + 1; k + step + 1 < times.length; ++k) {
      const push = Array.from(contact.slice(3 * k, 3 * k + 3));
      if (!(-push[0] > 1)) continue;
      const share = Math.hypot(push[1], push[2]) / -push[0];
      cone = Math.max(cone, share);
      if (![k - step, k, k + step].every((n) => -contact[3 * n] > 1 && slides(n))) continue;
      const [a, b, c] = [k - step, k, k + step].map(centre);
      const dt = times[k + step] - times[k];
      let off = 0;
      for (let x = 0; x < 3; ++x) {
        let carried = push[x];
        for (let i = 0; i < n; ++i) if (bodies[i + 1].parent === 0) carried += forces[3 * (k * n + i) + x];
        const needed = (a[x] - 2 * b[x] + c[x]) / (dt * dt) + mass * 9.81 * up[x];
        off = Math.hypot(off, carried - needed);
      }
      worst = Math.max(worst, off / Math.hypot(...push));
      off_cone = Math.max(off_cone, Math.abs(share - 0.4));
      if (push[1] * moved(k, 1) + push[2] * moved(k, 2) > 0) gains += 1;
      checked += 1;
    }
    return { checked, worst, off_cone, cone, gains };
  });
  const text = JSON.stringify(found);
  assert.ok(found.checked > 50, text);
  assert.ok(found.cone <= 0.4 + 1e-6, text); // the coefficient, no more
  assert.ok(found.off_cone < 1e-3 && found.gains === 0, text); // all of it against the slip
  assert.ok(found.worst < 0.02, text); // beside the rate of the momentum, by differences
  assert.deepEqual(said, []);
  await context.close();
});

test("a robot that is named moves along a recording", async () => {
  write("moved.yaml", arm);
  torsor(["simulate", "moved.yaml", "-o", "moved.trec"]);
  torsor(["report", "moved.trec", "--robot", "planar2r", "-o", "moved.html"]);
  assert.throws(() => torsor(["report", "moved.trec", "--robot", "puma560", "-o", "no.html"]), /has 2 coordinates/);
  const { page, said, context } = await open(browser, join(folder, "moved.html"));
  assert.equal(await page.evaluate(() => window.torsor.stage.motions.length), 1);
  assert.deepEqual(said, []);
  await context.close();
});

test("recordings without a robot are plots that answer", async () => {
  write("arm.yaml", arm);
  torsor(["simulate", "arm.yaml", "-o", "arm.trec"]);
  torsor(["report", "arm.trec", "-o", "recorded.html"]);
  const { page, said, context } = await open(browser, join(folder, "recorded.html"));
  assert.equal(await page.locator(".stage").count(), 0);
  await page.evaluate(() => window.torsor.seek(0.7));
  assert.notEqual(await page.locator(".panel .value").first().innerText(), "–");
  assert.deepEqual(said, []);
  await context.close();
});
