// How every kind of page looks: light and dark, on a phone, and what it says was run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { folder, launch, open, torsor, write } from "./browser.mjs";

const arm = (law, gains) => `robot: planar2r
controller: {law: ${law}, gains: ${gains}}
reference: {quintic: {from: [0, 1], to: [1, 0], duration: 1}}
start: {q: [0, 1]}
run: {duration: 1.5}
sweep: {samples: 6, seed: 7, uncertainties: {parameter_factor: [0.8, 1.2]}}
`;
const kinds = ["simulate", "compare", "sweep", "excite", "identify", "bench", "report"];
let browser;

before(async () => {
  browser = await launch();
  write("arm run.yaml", arm("computed_torque", "{Kp: 100, Kd: 20}"));
  write("pd.yaml", arm("pd_gravity", "{Kp: 100, Kd: 20}"));
  torsor(["simulate", "arm run.yaml", "-o", "arm.trec", "--report", "simulate.html"]);
  torsor(["compare", "arm run.yaml", "pd.yaml", "--report", "compare.html"]);
  torsor(["sweep", "arm run.yaml", "--report", "sweep.html"]);
  torsor(["excite", "planar2r", "--time", "1", "--period", "4", "-o", "motion.csv", "--report", "excite.html"]);
  torsor(["id", "planar2r", "--csv", "motion.csv", "-o", "log.csv"]);
  torsor(["identify", "planar2r", "log.csv", "--split", "0.7", "--report", "identify.html"]);
  torsor(["bench", "planar2r", "--time", "0.001", "--report", "bench.html"]);
  torsor(["report", "arm.trec", "--robot", "planar2r", "-o", "report.html"]);
});
after(async () => {
  await browser?.close();
});

const look = (kind, options = {}) =>
  open(browser, join(folder, `${kind}.html`), { still: kind === "bench", ...options });

/// Of every text in sight with its ground, the least contrast (WCAG 2.1, relative luminance).
const contrast = (page) =>
  page.evaluate(() => {
    // The browser itself says what a colour is in sRGB, whatever the notation.
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (text) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = text;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = (top, below) => top.slice(0, 3).map((x, k) => top[3] * x + (1 - top[3]) * below[k]);
    const luminance = (c) => {
      const [r, g, b] = c.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
      const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
      return (high + 0.05) / (low + 0.05);
    };
    const ground = (e) => {
      const layers = [];
      for (let at = e; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
      return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
    };
    let least = { ratio: 99, of: "" };
    const note = (e, colour, needed) => {
      const below = ground(e);
      const found = ratio(over(rgba(colour), below), below) / needed;
      if (found < least.ratio) least = { ratio: found, of: `${e.tagName} ${e.textContent.trim().slice(0, 30)}` };
    };
    for (const e of document.querySelectorAll("main h1, main h2, main h3, main p, main th, main td, main small, main label span, main footer, main li"))
      if (e.checkVisibility() && !e.closest(".stage") && e.textContent.trim()) note(e, getComputedStyle(e).color, 4.5);
    for (const e of document.querySelectorAll("svg text")) if (e.checkVisibility()) note(e, getComputedStyle(e).fill, 4.5);
    for (const e of document.querySelectorAll("rect.bar")) if (e.checkVisibility()) note(e, getComputedStyle(e).fill, 3);
    return { ...least, dark: luminance(ground(document.body)) < 0.2 };
  });

for (const kind of kinds)
  test(`${kind}: text and bars stand out in light and in dark`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, said, context } = await look(kind, { colorScheme });
      const found = await contrast(page);
      assert.equal(found.dark, colorScheme === "dark");
      assert.ok(found.ratio >= 1, `${colorScheme}: ${found.ratio.toFixed(2)} of what is needed: ${found.of}`);
      assert.deepEqual(said, []);
      await context.close();
    }
  });

for (const kind of kinds)
  test(`${kind}: on a phone only tables scroll sideways, and facts are read whole`, async () => {
    const { page, context } = await look(kind, {
      viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true,
    });
    await page.evaluate(() =>
      document.querySelectorAll("main details:not(.choices)").forEach((d) => (d.open = true)));
    const found = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      out: [...document.querySelectorAll("main table")]
        .filter((t) => t.getBoundingClientRect().width > 390 &&
          (t.parentElement.scrollWidth <= t.parentElement.clientWidth || t.parentElement.tabIndex !== 0))
        .map((t) => t.textContent.slice(0, 40)),
      facts: [...document.querySelectorAll("table.facts td")]
        .filter((td) => td.getBoundingClientRect().right > 390).map((td) => td.textContent),
      small: [...document.querySelectorAll("svg text")].filter((t) => t.checkVisibility())
        .map((t) => t.getBoundingClientRect().height).reduce((a, b) => Math.min(a, b), 99),
    }));
    assert.equal(found.wide, 390);
    assert.deepEqual([found.out, found.facts], [[], []]);
    assert.ok(found.small > 9, `${found.small} px`);
    await context.close();
  });

test("buttons and legend keep apart", async () => {
  for (const viewport of [{ width: 1400, height: 860 }, { width: 390, height: 780 }]) {
    const { page, context } = await look("compare", { viewport });
    const gap = await page.evaluate(() => {
      const legend = document.querySelector(".legend").getBoundingClientRect();
      const bar = document.querySelector(".chart-side .bar").getBoundingClientRect();
      return bar.top - legend.bottom;
    });
    assert.ok(gap >= 8, `${gap} px`);
    await context.close();
  }
});

test("a mode of bench is hidden by its box, in bars and table, without script", async () => {
  const { page, context } = await look("bench");
  const shown = () => page.evaluate(() =>
    [...document.querySelectorAll(".r0")].filter((e) => e.getBoundingClientRect().width > 0).length);
  assert.ok((await shown()) > 10);
  await page.click("label:has(#r0)");
  assert.equal(await shown(), 0);
  await context.close();
});

const facts_of = async (kind) => {
  const { page, context } = await look(kind);
  const facts = {};
  for (const row of await page.locator("table.facts tr").all())
    facts[(await row.locator("th").textContent())] ??= await row.locator("td").textContent();
  await context.close();
  return facts;
};
const hash = /hash [0-9a-f]{16}$/;

test("every page says which program, command and robot made it", async () => {
  for (const kind of kinds) {
    const facts = await facts_of(kind);
    assert.match(facts.version, /^torsor \d+\.\d+/, kind);
    assert.match(facts.date, /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/, kind);
    assert.ok(facts.command.startsWith(`torsor ${kind} `), facts.command);
    assert.equal(facts.robot, "planar2r", kind);
    assert.match(facts["robot file"], /^built in, hash/, kind);
    assert.match(facts["robot file"], hash, kind);
  }
});

test("words of the command are quoted as a shell needs it", async () => {
  assert.equal((await facts_of("simulate")).command,
    "torsor simulate 'arm run.yaml' -o arm.trec --report simulate.html");
});

test("settings, seeds, files and the processor where it counts are told", async () => {
  const bench = await facts_of("bench");
  assert.equal(bench["time of each figure"], "0.001 s");
  for (const name of ["processor", "instruction set", "compiler", "states"]) assert.ok(bench[name], name);
  const excite = await facts_of("excite");
  assert.equal(excite.seed, "1");
  assert.equal(excite.trajectories, "1 of 4 s");
  assert.equal(excite["share of the limits"], "100 %");
  const identify = await facts_of("identify");
  assert.match(identify.log, hash);
  assert.match(identify.intervals, /200 draws .* seed 1$/);
  assert.equal(identify["fitted share of each log"], "0.7");
  assert.ok(identify.estimator);
  const report = await facts_of("report");
  assert.match(report.recording, hash);
  assert.match(report["run arm"], /^planar2r under computed_torque/);
  const compare = await facts_of("compare");
  assert.match(compare["scenario file"], hash);
  assert.match(compare["scenario file of pd"], hash);
  assert.match(compare["controller of pd"], /pd_gravity/);
  const sweep = await facts_of("sweep");
  assert.equal(sweep["seed of all draws"], "7");
  assert.match(sweep.sweep, /parameter_factor: \[0\.8, 1\.2\]/);
});

test("the page of a run has the theory of its laws, one click from their conditions", async () => {
  for (const options of [{}, { javaScriptEnabled: false }]) {
    const { page, said, context } = await look("compare", options);
    const links = await page.locator("ul.theory a").allInnerTexts();
    assert.deepEqual(links, ["computed_torque", "pd_gravity"]);
    const section = page.locator("#theory-pd_gravity");
    assert.equal(await section.isVisible(), false);
    await page.locator("ul.theory a", { hasText: "pd_gravity" }).click();
    await section.waitFor({ state: "visible" });
    const text = await section.innerText();
    for (const part of ["Assumptions.", "Statement.", "Proof.", "Evaluated.", "Source."])
      assert.ok(text.includes(part), part);
    const known = JSON.parse(torsor(["laws", "--json"])).laws;
    assert.ok(text.includes(known.find((law) => law.name === "pd_gravity").theory));
    // Formulas are drawn: a fraction is higher than a letter.
    const [fraction, letter] = await page.evaluate(() =>
      ["mfrac", "mi"].map((name) => {
        const all = [...document.querySelectorAll(`#theory-letters ${name}, .theory ${name}`)];
        return Math.max(...all.map((e) => e.getBoundingClientRect().height));
      }));
    assert.ok(fraction > 1.2 * letter || fraction > 20, `${fraction} ${letter}`);
    assert.deepEqual(said, []);
    await context.close();
  }
});

test("on paper no table is cut", async () => {
  for (const kind of kinds) {
    const { page, context } = await look(kind, { viewport: { width: 794, height: 1123 } });
    await page.emulateMedia({ media: "print" });
    const out = await page.evaluate(() =>
      [...document.querySelectorAll("main table")].filter((t) => t.checkVisibility() &&
        t.getBoundingClientRect().right > document.documentElement.clientWidth)
        .map((t) => `${t.getBoundingClientRect().right} ${t.textContent.slice(0, 40)}`));
    assert.deepEqual(out, [], kind);
    // A number that goes on in the next line is read as two.
    const broken = await page.evaluate(() =>
      [...document.querySelectorAll("main td.n")].filter((td) => {
        if (!td.checkVisibility() || !td.textContent.trim()) return false;
        const range = document.createRange();
        range.selectNodeContents(td);
        const tops = [...range.getClientRects()].map((r) => r.top);
        return Math.max(...tops) - Math.min(...tops) > 6;
      }).map((td) => td.textContent));
    assert.deepEqual(broken, [], kind);
    await context.close();
  }
});

test("of few samples no correlation is told", async () => {
  const { page, context } = await look("sweep");
  const cells = await page.locator("table.heat td").allInnerTexts();
  assert.ok(cells.length > 5 && cells.every((text) => text === "–"), String(cells));
  assert.match(await page.locator("h2:has-text('drives which') small").innerText(), /fewer than 10 samples/);
  await context.close();
});

test("the robot of an identification moves as it was logged", async () => {
  const { page, context } = await look("identify");
  const log = torsor(["fk", "planar2r", "--csv", "log.csv", "--frame", "tip"]).trim().split("\n");
  const head = log[0].split(",");
  const rows = log.slice(1).map((line) => line.split(",").map(Number));
  const at = (name) => head.findIndex((h) => h.endsWith(name));
  let worst = 0;
  for (const k of [30, 200, 350]) {
    const t = await page.evaluate((k) => window.torsor.stage.motions[0].times[k % window.torsor.stage.motions[0].times.length], k);
    const tip = await page.evaluate((time) => {
      window.torsor.seek(time);
      const { stage } = window.torsor;
      const { tool } = stage.robot;
      const path = stage.motions[0].path(tool.body, tool.point);
      const n = stage.motions[0].times.findIndex((x) => Math.abs(x - time) < 1e-6);
      return Array.from(path.slice(3 * n, 3 * n + 3));
    }, t);
    const row = rows.reduce((a, b) => (Math.abs(b[at("t")] - t) < Math.abs(a[at("t")] - t) ? b : a));
    assert.ok(Math.abs(row[at("t")] - t) < 1e-4, `${row[at("t")]} ${t}`);
    for (const [c, name] of ["x", "y", "z"].entries()) worst = Math.max(worst, Math.abs(tip[c] - row[at(name)]));
  }
  assert.ok(worst < 1e-5, String(worst));
  await context.close();
});

test("the page of an identification plots measured and modelled torques that answer", async () => {
  const { page, said, asked, context } = await look("identify");
  const groups = await page.locator(".group > summary").allInnerTexts();
  assert.ok(groups[0].startsWith("Torques") && groups[1].startsWith("What is left"), String(groups));
  const found = await page.evaluate(() => {
    const [panel] = window.torsor.charts.panels;
    const [measured, model] = panel.curves;
    let [apart, size] = [0, 0];
    for (let k = 0; k < measured.y.length; ++k) {
      apart = Math.max(apart, Math.abs(measured.y[k] - model.y[k]));
      size = Math.max(size, Math.abs(measured.y[k]));
    }
    return { labels: panel.curves.map((c) => c.label), apart, size };
  });
  assert.deepEqual(found.labels, ["measured", "model"]);
  // The log is of the robot itself, without noise: filters alone tell the two apart.
  assert.ok(found.size > 0.1 && found.apart < 0.01 * found.size, JSON.stringify(found));
  assert.equal(await page.locator(".tabs button").count(), 2); // fitted, validation
  const masses = await page.locator("tr:has(th:text-is('link_2.my')), tr:has(th:text-is('link_2.zz'))").allInnerTexts();
  assert.ok(masses.length >= 1, "parameters are listed");
  assert.deepEqual([said, asked], [[], []]);
  await context.close();
});

test("arrows of joint forces are as long as the forces: a resting arm is carried against its weight", async () => {
  write(
    "rest.yaml",
    `robot: planar2r
controller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}
reference: {hold: [0.4, 0.3]}
start: {q: [0.4, 0.3]}
run: {duration: 1}
`,
  );
  torsor(["simulate", "rest.yaml", "--report", "rest.html"]);
  const { page, said, context } = await look("rest");
  const info = JSON.parse(torsor(["info", "planar2r", "--json"]));
  await page.locator(".choices summary").click();
  await page.getByLabel("joint forces").check();
  const arrows = await page.evaluate(() => {
    window.torsor.seek(0.5);
    const { stage } = window.torsor;
    const { at, along } = stage.motions[0].joint_forces(0.5, 1);
    return { at: Array.from(at), along: Array.from(along), largest: stage.motions[0].data.largest_force };
  });
  assert.equal(arrows.along.length, 6);
  // Statics: joint 1 carries both links, joint 2 the second; the longest arrow stands for the largest force.
  const mass = (info.bodies ?? info.links).filter((b) => b.mass > 0).map((b) => b.mass);
  const weight = [mass[0] + mass[1], mass[1]].map((m) => 9.81 * m);
  const length = [0, 1].map((k) => Math.hypot(...arrows.along.slice(3 * k, 3 * k + 3)));
  assert.ok(Math.abs(length[1] / length[0] - weight[1] / weight[0]) < 1e-3, JSON.stringify({ length, weight }));
  assert.ok(Math.abs(arrows.largest - weight[0]) < 1e-2 * weight[0], `${arrows.largest} ${weight}`);
  assert.deepEqual(said, []);
  await context.close();
});

test("joint forces of mechanisms with loops carry their weight and what accelerates it", async () => {
  for (const robot of ["four_bar", "slider_crank", "stewart"]) {
    write("falling.yaml", `robot: ${robot}
controller: {law: none}
run: {duration: 0.25, record_every: 0.0025}
`);
    torsor(["simulate", "falling.yaml", "--report", "falling.html", "--force"]);
    const { page, said, context } = await look("falling");
    const worst = await page.evaluate(() => {
      const { stage, data } = window.torsor;
      const [motion] = stage.motions;
      const { bodies, up } = stage.robot;
      const { forces } = motion;
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
          const pose = motion.poses.slice(7 * (k * n + i), 7 * (k * n + i) + 7);
          const com = turned(pose.slice(3), inertia.com);
          for (let c = 0; c < 3; ++c) sum[c] += inertia.mass * (pose[c] + com[c]);
        }
        return sum;
      };
      const mass = bodies.reduce((m, b, i) => m + (i > 0 && b.inertia ? b.inertia.mass : 0), 0);
      let most = 0;
      for (const k of [20, 50, 80]) {
        const step = 4;
        const [a, b, c] = [k - step, k, k + step].map(centre);
        const dt = motion.times[k + step] - motion.times[k];
        const carried = [0, 1, 2].map((x) => {
          let sum = 0;
          for (let i = 0; i < n; ++i) if (bodies[i + 1].parent === 0) sum += forces[3 * (k * n + i) + x];
          return sum;
        });
        const needed = [0, 1, 2].map((x) => (a[x] - 2 * b[x] + c[x]) / (dt * dt) + mass * 9.81 * up[x]);
        most = Math.max(most, Math.hypot(...carried.map((f, x) => f - needed[x])) / (mass * 9.81));
      }
      return most;
    });
    assert.ok(worst < 0.02, `${robot}: ${worst} of the weight`);
    assert.deepEqual(said, []);
    await context.close();
  }
});

test("joint forces of an arm on a spring are less its weight by what the spring carries", async () => {
  write("sprung.yaml", `robot: sprung
bodies:
  - name: base
  - {name: arm, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: hinge, type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
springs:
  - {name: coil, link_a: base, point_a: [0.5, 0, 1], link_b: arm, point_b: [0.5, 0, 0], stiffness: 19.62}
`);
  write("hanging.yaml", `robot: sprung.yaml
controller: {law: none}
run: {duration: 0.1, record_every: 0.01}
`);
  torsor(["simulate", "hanging.yaml", "--report", "hanging.html", "--force"]);
  const { page, said, context } = await look("hanging");
  // 19.62 N/m stretched by 1 m above the centre of mass: it hangs in balance, and the hinge carries nothing.
  const most = await page.evaluate(() => Math.max(...window.torsor.stage.motions[0].forces.map(Math.abs)));
  assert.ok(most < 1e-6 * 19.62, String(most));
  assert.deepEqual(said, []);
  await context.close();
});
