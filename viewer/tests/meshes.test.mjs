// Meshes in pages: those of the visual geometry are embedded on request, what is not drawn is told.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folder, launch, open, torsor, write } from "./browser.mjs";

let browser;
before(async () => {
  browser = await launch();
  const corners = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.6]];
  const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const stl = (name) => `solid ${name}\n${faces.map((face) => `facet normal 0 0 0\nouter loop\n${face
    .map((k) => `vertex ${corners[k].join(" ")}`).join("\n")}\nendloop\nendfacet`).join("\n")}\nendsolid\n`;
  write("arm.stl", stl("arm"));
  write("hull.stl", stl("hull"));
  write("broken.stl", "solid broken\nfacet normal 0 0 0\nouter loop\nvertex 1 2 three\n");
  const mesh = (name) => `<geometry><mesh filename="${name}"/></geometry>`;
  write(
    "arm.urdf",
    `<robot name="arm"><link name="base"/><link name="arm">
<inertial><origin xyz="0 0 0.2"/><mass value="1"/><inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<visual>${mesh("arm.stl")}</visual><visual>${mesh("broken.stl")}</visual><visual>${mesh("none.stl")}</visual>
<collision>${mesh("hull.stl")}</collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`,
  );
  write(
    "arm.yaml",
    `robot: arm.urdf
controller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}
reference: {hold: [0.5]}
run: {duration: 1}
sweep: {samples: 4, seed: 1, uncertainties: {start_q: [-0.1, 0.1]}}
`,
  );
});
after(async () => {
  await browser?.close();
});

const embedded = (page) =>
  page.evaluate(() => window.torsor.stage.robot.meshes.map((mesh) => mesh.name));

for (const [verb, ...more] of [["simulate"], ["compare"], ["sweep", "--restart"]])
  test(`${verb} --meshes embeds visual meshes, not those for collision, and tells of the others`, async () => {
    const file = join(folder, `${verb}.html`);
    torsor([verb, "arm.yaml", "--report", `${verb}.html`, "--meshes", ...more]);
    const { page, said, asked, context } = await open(browser, file);
    assert.deepEqual(await embedded(page), ["arm.stl"]);
    // Four corners in four triangles, whatever the file repeats.
    const size = await page.evaluate(() => {
      const [mesh] = window.torsor.stage.robot.meshes;
      return [atob(mesh.vertices).length, atob(mesh.triangles).length];
    });
    assert.deepEqual(size, [4 * 3 * 4, 4 * 3 * 4]);
    const title = page.locator(".stage .missing summary");
    assert.equal(await title.innerText(), "2 meshes are not drawn");
    await title.click();
    const lines = await page.locator(".stage .missing li").allInnerTexts();
    assert.match(lines[0], /^broken\.stl: .*three/);
    assert.equal(lines[1], "none.stl: is not found");
    const facts = await page.locator("table.facts").innerText();
    assert.match(facts, /meshes\s+1 embedded, 0\.00 MB of this page/);
    assert.match(facts, /meshes that are not drawn\s+broken\.stl: .*; none\.stl: is not found/);
    assert.ok(!readFileSync(file, "utf8").includes("hull.stl"));
    assert.deepEqual([said, asked], [[], []]);
    await context.close();
  });

test("--package-path is where robots of scenarios find packages: meshes and parts of their files", async (t) => {
  const other = mkdtempSync(join(tmpdir(), "torsor-other-"));
  t.after(() => rmSync(other, { recursive: true }));
  const kit = join(other, "a/b/c/d/e/kit"); // far from what lies beside the robot's file
  mkdirSync(kit, { recursive: true });
  copyFileSync(join(folder, "arm.stl"), join(kit, "arm.stl"));
  writeFileSync(join(kit, "package.xml"), "<package><name>kit</name></package>\n");
  writeFileSync(
    join(kit, "arm.xacro"),
    `<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="arm">
<inertial><origin xyz="0 0 0.2"/><mass value="1"/><inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://kit/arm.stl"/></geometry></visual></link></robot>`,
  );
  write(
    "packed.urdf.xacro",
    `<robot name="packed" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="$(find kit)/arm.xacro"/>
<link name="base"/><joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`,
  );
  write("packed.yaml", readFileSync(join(folder, "arm.yaml"), "utf8").replace("arm.urdf", "packed.urdf.xacro"));
  assert.throws(() => torsor(["simulate", "packed.yaml"]), /kit/);
  const path = ["--meshes", "--package-path", join(other, "a/b/c/d/e")];
  torsor(["simulate", "packed.yaml", "-o", "packed.trec", "--report", "simulate.packed.html", ...path]);
  torsor(["compare", "packed.yaml", "--report", "compare.packed.html", ...path]);
  torsor(["sweep", "packed.yaml", "--report", "sweep.packed.html", ...path]);
  torsor(["report", "packed.trec", "--robot", "packed.urdf.xacro", "-o", "report.packed.html", ...path]);
  for (const verb of ["simulate", "compare", "sweep", "report"]) {
    const { page, said, context } = await open(browser, join(folder, `${verb}.packed.html`));
    assert.equal((await embedded(page)).length, 1, verb);
    assert.equal(await page.locator(".stage .missing").count(), 0, verb);
    assert.deepEqual(said, []);
    await context.close();
  }
});

test("without --meshes none is embedded, and the page says how to", async () => {
  torsor(["simulate", "arm.yaml", "--report", "bare.html"]);
  const { page, said, context } = await open(browser, join(folder, "bare.html"));
  assert.deepEqual(await embedded(page), []);
  assert.match(await page.locator("table.facts").innerText(), /not asked for \(--meshes embeds them\): arm\.stl/);
  assert.ok(statSync(join(folder, "bare.html")).size < 3e6);
  assert.deepEqual(said, []);
  await context.close();
});

test("torsor view lists the meshes that it cannot read, with the reason", async (t) => {
  const server = spawn(process.env.TORSOR_COMMAND ?? "torsor", ["view", "arm.urdf", "--json"], { cwd: folder });
  t.after(() => server.kill("SIGINT"));
  const first = await new Promise((done) => {
    let text = "";
    server.stdout.on("data", (part) => {
      text += part;
      if (text.includes("}")) done(text);
    });
    server.on("exit", () => done(""));
  });
  if (first === "") return t.skip("built without the server");
  const page = await (await browser.newContext()).newPage();
  await page.goto(JSON.parse(first).url);
  await page.waitForSelector("html[data-ready=true]");
  const lines = await page.locator("ul.missing li").allTextContents();
  assert.equal(lines.length, 2);
  assert.match(lines[0], /^broken\.stl: .*three/);
  assert.equal(lines[1], "none.stl: is not found");
});
