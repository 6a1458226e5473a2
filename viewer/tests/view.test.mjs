// The page of `torsor view` in a browser: what it shows is what the library computes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { folder, launch, torsor, write } from "./browser.mjs";

const command = process.env.TORSOR_COMMAND ?? "torsor";
const servers = [];
let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  for (const server of servers) server.kill("SIGTERM");
});

/// Starts the server of a robot; resolves with its address.
async function serve(robot, ...args) {
  const server = spawn(command, ["view", robot, "--json", ...args], { cwd: folder });
  servers.push(server);
  let text = "";
  let complaint = "";
  server.stderr.on("data", (piece) => (complaint += piece));
  const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", (piece) => {
      text += piece;
      if (text.includes("}")) resolve(JSON.parse(text).url);
    });
    server.on("exit", () => reject(new Error(complaint)));
  });
  return { server, url };
}

/// Opens the page and notes what it says and asks for elsewhere.
async function look(url) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 820 } });
  const page = await context.newPage();
  const said = [];
  page.on("console", (m) => {
    if (!m.text().includes("GL Driver Message")) said.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
      said.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector("html[data-ready=true]");
  return { page, context, said };
}

const q_of = (page) => page.evaluate(() => window.torsor_view.state.q);
const version_of = (page) => page.evaluate(() => window.torsor_view.state.version);
const note_of = (page) => page.textContent("#note");
const near = (a, b, tolerance, what) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} is not ${b}`);

/// The state after it has another version than `before`.
async function changed(page, before) {
  await page.waitForFunction((v) => window.torsor_view.state.version > v, before);
}

/// What the page shows of the tool, and where it draws the bodies, against the command.
async function agrees(page, robot, frame) {
  const q = await q_of(page);
  const numbers = q.map((x) => x.toPrecision(17)).join(",");
  const [truth] = JSON.parse(
    torsor(["eval", robot, "-"], JSON.stringify({ frame, states: [{ q }] })),
  ).results;
  const shown = await page.evaluate(() =>
    ["x", "y", "z"].map((k) => Number(document.getElementById(`tool-${k}`).dataset.value)),
  );
  for (let k = 0; k < 3; ++k) near(shown[k], truth.T_frame[k][3], 1e-9, `${frame} at ${numbers}`);
  // Where three.js draws the body that carries the frame, and the frame in it.
  const drawn = await page.evaluate((name) => {
    const { scene } = window.torsor_view;
    const at = scene.robot.frames.find((f) => f.name === name);
    const place = (p) => {
      const [x, y, z, a, b, c, w] = p;
      const turn = ([u, v, t]) => {
        const [i, j, k] = [2 * (b * t - c * v), 2 * (c * u - a * t), 2 * (a * v - b * u)];
        return [u + w * i + b * k - c * j, v + w * j + c * i - a * k, t + w * k + a * j - b * i];
      };
      return (point) => turn(point).map((e, n) => e + [x, y, z][n]);
    };
    return place(scene.configuration().slice(7 * (at.body - 1), 7 * at.body))(at.place.slice(0, 3));
  }, frame);
  for (let k = 0; k < 3; ++k) near(drawn[k], truth.T_frame[k][3], 1e-9, `drawn ${frame}`);
  const mass = await page.evaluate(() => window.torsor_view.state.matrices.M);
  for (let r = 0; r < mass.length; ++r)
    for (let c = 0; c < mass.length; ++c) near(mass[r][c], truth.M[r][c], 1e-9, `M ${r} ${c}`);
  return q;
}

const bend = ["--q", "0.2,-0.6,0.4,0.3,0.8,0.1"];

/// Drags the tool by so many pixels.
async function drag(page, across, down) {
  const box = await page.locator("#canvas").boundingBox();
  const [x, y] = await page.evaluate(() => {
    const { scene, state } = window.torsor_view;
    return scene.project([state.tool.T[3], state.tool.T[7], state.tool.T[11]]);
  });
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  for (let k = 1; k <= 5; ++k)
    await page.mouse.move(box.x + x + (across * k) / 5, box.y + y + (down * k) / 5);
  await page.mouse.up();
}

test("the page is drawn, says nothing and asks nobody else", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  const colours = await page.evaluate(async () => {
    const image = new Image();
    image.src = window.torsor_view.scene.picture();
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4)
      seen.add((data[k] >> 3) * 1024 + (data[k + 1] >> 3) * 32 + (data[k + 2] >> 3));
    return seen.size;
  });
  assert.ok(colours > 60, `${colours} colours`);
  await agrees(page, "puma560", "tool");
  assert.deepEqual(said, []);
  await context.close();
});

test("a slider moves the robot to the pose that the library computes", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  for (const [k, value] of [[0, 0.7], [4, -0.9]]) {
    const before = await version_of(page);
    await page.locator(`input[data-coordinate="${k}"]`).evaluate((slider, x) => {
      slider.value = String(x);
      slider.dispatchEvent(new Event("input"));
    }, value);
    await changed(page, before);
    near((await agrees(page, "puma560", "tool"))[k], value, 1e-12, "slider");
  }
  // By the keyboard, too.
  const before = await version_of(page);
  await page.locator('input[data-coordinate="1"]').focus();
  await page.keyboard.press("ArrowRight");
  await changed(page, before);
  await agrees(page, "puma560", "tool");
  assert.deepEqual(said, []);
  await context.close();
});

test("the dragged tool follows the pointer; other branches are ghosts to choose", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  const start = await page.evaluate(() => window.torsor_view.state.tool.T);
  // Answers that come later than the pointer moves: it lets go before the robot has followed.
  await page.route("**/reach", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.continue();
  });
  await drag(page, 40, -30);
  await page.waitForFunction(() => window.torsor_view.drag.branches().length === 7);
  await page.unroute("**/reach");
  const q = await agrees(page, "puma560", "tool");
  const end = await page.evaluate(() => window.torsor_view.state.tool.T);
  assert.ok(Math.hypot(end[3] - start[3], end[7] - start[7], end[11] - start[11]) > 0.02);
  for (const k of [0, 1, 2, 4, 5, 6, 8, 9, 10]) near(end[k], start[k], 1e-9, "orientation");
  // The tool is under the pointer.
  const [x, y] = await page.evaluate(() => {
    const { scene, state } = window.torsor_view;
    return scene.project([state.tool.T[3], state.tool.T[7], state.tool.T[11]]);
  });
  const [x0, y0] = await page.evaluate(
    (T) => window.torsor_view.scene.project([T[3], T[7], T[11]]), start);
  near(x - x0, 40, 1, "pixels across");
  near(y - y0, -30, 1, "pixels down");
  // A click on a ghost takes its configuration: another one, with the tool where it was.
  const place = await page.evaluate(() => {
    const { scene } = window.torsor_view;
    const canvas = document.getElementById("canvas");
    for (let v = 10; v < canvas.clientHeight - 10; v += 8)
      for (let u = 10; u < canvas.clientWidth - 10; u += 8)
        if ((scene.pick(u, v)?.figure ?? 0) > 0) return [u, v];
    return null;
  });
  assert.ok(place, "no ghost is seen");
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.click(box.x + place[0], box.y + place[1]);
  await page.waitForFunction(
    (old) => window.torsor_view.state.q.some((value, k) => Math.abs(value - old[k]) > 0.1), q);
  await agrees(page, "puma560", "tool");
  const after_click = await page.evaluate(() => window.torsor_view.state.tool.T);
  for (let k = 0; k < 12; ++k) near(after_click[k], end[k], 1e-9, "pose after the choice");
  assert.deepEqual(said, []);
  await context.close();
});

test("branches are listed by name, and a button takes one", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  assert.equal(await page.locator("#branches li").count(), 0);
  await page.getByRole("button", { name: "All configurations that put the tool here" }).click();
  await page.waitForFunction(() => document.querySelectorAll("#branches li").length === 8);
  assert.equal(await page.locator('#branches button[aria-pressed="true"]').count(), 1);
  const { T, q } = await page.evaluate(() => {
    const { tool, q } = window.torsor_view.state;
    return { T: tool.T, q };
  });
  const other = page.locator('#branches button[aria-pressed="false"]').first();
  assert.match(await other.innerText(), /(left|right) shoulder, elbow (up|down), wrist/);
  await other.press("Enter");
  await page.waitForFunction(
    (old) => window.torsor_view.state.q.some((x, k) => Math.abs(x - old[k]) > 0.1), q);
  const now = await page.evaluate(() => window.torsor_view.state.tool.T);
  for (let k = 0; k < 12; ++k) near(now[k], T[k], 1e-9, "pose after the choice");
  // A slider goes elsewhere: what is listed would no longer be true.
  await page.fill("#q-text", "0.1, -0.3, 0.2, 0.4, 0.5, -0.6");
  await page.press("#q-text", "Enter");
  await page.waitForFunction(() => document.querySelectorAll("#branches li").length === 0);
  assert.deepEqual(said, []);
  await context.close();
});

test("velocities and accelerations can be typed: C and torques are of them, with their units", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  const caption = (part) =>
    page.waitForFunction((text) => document.getElementById("matrix-caption").textContent.includes(text), part);
  await caption("kg m²");
  await page.getByRole("tab", { name: "Coriolis matrix" }).click();
  await caption("Zero at rest");
  const qd = [0.5, -0.2, 0.3, 1, -1, 0.7], qdd = [2, 2, 2, 2, 2, 2];
  let before = await version_of(page);
  await page.fill("#qd-text", qd.join(", "));
  await page.fill("#qdd-text", "2"); // one for all
  await page.press("#qdd-text", "Enter");
  await changed(page, before);
  await caption("N m s/rad");
  const { q, matrices } = await page.evaluate(() => window.torsor_view.state);
  const [truth] = JSON.parse(
    torsor(["eval", "puma560", "-"], JSON.stringify({ states: [{ q, qd, qdd }] }))).results;
  const shown = await page.locator("table td").evaluateAll((cells) => cells.map((td) => Number(td.dataset.value)));
  assert.equal(shown.length, 36);
  for (let r = 0; r < 6; ++r) {
    near(matrices.tau[r], truth.tau[r], 1e-9, "tau");
    for (let c = 0; c < 6; ++c) near(shown[6 * r + c], truth.C[r][c], 1e-9, `C ${r} ${c}`);
  }
  assert.ok(Math.max(...shown.map(Math.abs)) > 0.1);
  await page.fill("#qd-text", "1, 2");
  await page.press("#qd-text", "Enter");
  await page.waitForFunction(() => /6 numbers/.test(document.getElementById("note").textContent));
  assert.deepEqual(said.filter((line) => !line.includes("400")), []);
  await context.close();
});

test("the page of a mechanism names its frame, and no warning is a riddle", async () => {
  for (const robot of ["four_bar", "panda_hand"]) {
    const { url } = await serve(robot);
    const { page, context } = await look(url);
    const frame = await page.locator("#frame").inputValue();
    assert.equal(frame, await page.evaluate(() => window.torsor_view.state.tool.frame));
    assert.doesNotMatch(await page.textContent("#warnings"), /type I|\\|beyond/);
    assert.doesNotMatch(await page.textContent(".pose"), /-0\.00000/);
    await context.close();
  }
});

test("the robot fills the picture below the buttons, and letters turn it", async () => {
  for (const robot of ["puma560", "four_bar", "humanoid38", "scara"]) {
    const { url } = await serve(robot);
    const { page, context } = await look(url);
    const seen = await page.evaluate(() => {
      const { scene } = window.torsor_view;
      const poses = scene.configuration();
      const canvas = document.getElementById("canvas");
      const points = [];
      for (let k = 0; k < poses.length; k += 7) points.push(scene.project(poses.slice(k, k + 3)));
      const [x, y] = [0, 1].map((c) => points.map((p) => p[c]));
      return { w: canvas.clientWidth, h: canvas.clientHeight, left: Math.min(...x), right: Math.max(...x),
        top: Math.min(...y), bottom: Math.max(...y) };
    });
    assert.ok(seen.left > 0 && seen.right < seen.w && seen.bottom < seen.h, JSON.stringify(seen));
    assert.ok(seen.top > 40, `${robot}: under the buttons: ${JSON.stringify(seen)}`);
    await context.close();
  }
  const { url } = await serve("puma560", ...bend);
  const { page, context } = await look(url);
  const places = () => page.evaluate(() =>
    [[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0]].map((p) => window.torsor_view.scene.project(p)[0]));
  const before = await places();
  const moved = async () => Math.max(...(await places()).map((x, k) => Math.abs(x - before[k])));
  await page.locator("#canvas").focus();
  await page.keyboard.press("d");
  assert.ok((await moved()) > 10, String(await moved()));
  await page.keyboard.press("r");
  near(await moved(), 0, 1e-6, "as at first");
  await context.close();
});

test("poses and configurations can be typed, and nonsense is refused in a line", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context } = await look(url);
  let before = await version_of(page);
  await page.fill("#q-text", "0.1, -0.3, 0.2, 0.4, 0.5, -0.6");
  await page.press("#q-text", "Enter");
  await changed(page, before);
  assert.deepEqual(await q_of(page), [0.1, -0.3, 0.2, 0.4, 0.5, -0.6]);
  await agrees(page, "puma560", "tool");
  before = await version_of(page);
  await page.fill("#pose-text", "0.4, 0.1, 0.3, 0.2, 0.1, -0.4");
  await page.press("#pose-text", "Enter");
  await changed(page, before);
  const T = await page.evaluate(() => window.torsor_view.state.tool.T);
  near(T[3], 0.4, 1e-9, "x");
  near(T[7], 0.1, 1e-9, "y");
  near(T[11], 0.3, 1e-9, "z");
  await agrees(page, "puma560", "tool");
  for (const [field, text, answer] of [
    ["#q-text", "1, 2", "6 numbers"],
    ["#q-text", "a b c d e f", "finite"],
    ["#pose-text", "1, 2", "three numbers"],
  ]) {
    await page.fill(field, text);
    await page.press(field, "Enter");
    await page.waitForFunction(
      (part) => document.getElementById("note").textContent.includes(part), answer);
  }
  await page.fill("#pose-text", "9, 9, 9, 0, 0, 0");
  await page.press("#pose-text", "Enter");
  await page.waitForFunction(() => /distance|reach|closest|get there/.test(
    document.getElementById("note").textContent));
  near((await page.evaluate(() => window.torsor_view.state.tool.T))[3], 0.4, 1e-9, "x stays");
  await context.close();
});

test("warnings tell of limits and singularities", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context } = await look(url);
  assert.equal(await page.textContent("#warnings"), "");
  await page.fill("#q-text", "0, 0, 0, 0, 0, 0");
  await page.press("#q-text", "Enter");
  await page.waitForFunction(() =>
    document.getElementById("warnings").textContent.includes("singular"));
  await page.fill("#q-text", "3.1, -0.3, 0.2, 0.4, 0.5, 0");
  await page.press("#q-text", "Enter");
  await page.waitForFunction(() =>
    document.getElementById("warnings").textContent.includes("beyond its limits"));
  await context.close();
});

test("two pages share one robot, a reload keeps it, and a closed page harms nobody", async () => {
  const { url } = await serve("puma560", ...bend);
  const one = await look(url);
  const two = await look(url);
  await one.page.fill("#q-text", "0.3, -0.3, 0.2, 0.4, 0.5, 0");
  await one.page.press("#q-text", "Enter");
  await two.page.waitForFunction(() => window.torsor_view.state.q[0] === 0.3);
  await agrees(two.page, "puma560", "tool");
  await one.page.reload();
  await one.page.waitForSelector("html[data-ready=true]");
  assert.equal((await q_of(one.page))[0], 0.3);
  await one.context.close();
  await two.page.fill("#q-text", "0.4, -0.3, 0.2, 0.4, 0.5, 0");
  await two.page.press("#q-text", "Enter");
  await two.page.waitForFunction(() => window.torsor_view.state.q[0] === 0.4);
  assert.deepEqual(two.said, []);
  await two.context.close();
});

test("loops stay closed while a joint and the tool are dragged", async () => {
  const { url } = await serve("five_bar");
  const { page, context, said } = await look(url);
  const before = await version_of(page);
  await page.locator('input[data-coordinate="0"]').evaluate((slider) => {
    slider.value = String(window.torsor_view.state.q[0] + 0.2);
    slider.dispatchEvent(new Event("input"));
  });
  await changed(page, before);
  const slid = await version_of(page);
  await drag(page, 12, -8);
  await changed(page, slid);
  assert.ok((await page.evaluate(() => window.torsor_view.state.loop_error)) < 1e-9);
  assert.deepEqual(said, []);
  await context.close();
});

test("a recorded motion runs under a law, and gains change the run", async () => {
  const { url } = await serve("puma560", ...bend);
  const { page, context, said } = await look(url);
  await page.getByText("Record a motion, run it under a law").click();
  await page.getByRole("button", { name: /Record a motion/ }).click();
  for (const [across, down] of [[20, 0], [0, -20], [-15, 10]]) {
    await drag(page, across, down);
    await page.waitForTimeout(250);
  }
  await page.getByRole("button", { name: /Record a motion/ }).click();
  await page.waitForSelector(".conditions li", { timeout: 60000 });
  assert.match(await page.textContent(".run .note"), /computed_torque: finished/);
  assert.ok((await page.locator(".result .uplot").count()) >= 2);
  assert.deepEqual(await page.locator(".result .unit").allTextContents(), ["rad", "N m"]);
  // Resting over a plot shows the values and the ghost of that time.
  const shown = () => page.evaluate(() =>
    [...document.querySelectorAll(".result .panel:last-child .value")].map((e) => e.textContent).join());
  const box = await page.locator(".result .u-over").last().evaluate((e) => {
    e.scrollIntoView({ block: "center" });
    const { x, y, width, height } = e.getBoundingClientRect();
    return { x, y, width, height };
  });
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.5 * box.height);
  await page.mouse.click(box.x + 0.2 * box.width, box.y + 0.5 * box.height); // it stops playing
  const early = await shown();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.waitForTimeout(100);
  assert.notEqual(await shown(), early);
  const first = await page.textContent(".conditions");
  const gain = page.locator('label:has(input[data-gain="Kp"]) output');
  const told = Number(await gain.textContent()); // the gain itself, as the law starts with it
  assert.ok(told > 0, await gain.textContent());
  await page.locator('input[data-gain="Kp"]').evaluate((slider) => {
    slider.value = "0.9";
    slider.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(
    (old) => document.querySelector(".conditions").textContent !== old, first, { timeout: 60000 });
  near(Number(await gain.textContent()) / told, 10 ** 0.9, 0.01 * 10 ** 0.9, "gain");
  assert.deepEqual(said, []);
  await context.close();
});

test("errors and torques of joints that turn and of those that slide are plots of their own", async () => {
  const { url } = await serve("scara", "--q", "0.3,0.5,0.1,0.2");
  const { page, context, said } = await look(url);
  await page.getByText("Record a motion, run it under a law").click();
  await page.getByRole("button", { name: /Record a motion/ }).click();
  for (const value of [0.35, 0.4, 0.45]) {
    const before = await version_of(page);
    await page.locator('input[data-coordinate="0"]').evaluate((slider, x) => {
      slider.value = String(x);
      slider.dispatchEvent(new Event("input"));
    }, value);
    await changed(page, before);
    await page.waitForTimeout(200);
  }
  await page.getByRole("button", { name: /Record a motion/ }).click();
  await page.waitForSelector(".conditions li", { timeout: 60000 });
  assert.deepEqual(await page.locator(".result .unit").allTextContents(), ["rad", "m", "N m", "N"]);
  assert.deepEqual(said, []);
  await context.close();
});

test("a hostile name stays text", async () => {
  const name = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>";
  const text = torsor(["convert", "planar2r", "-", "--to", "robot"]);
  write("hostile.yaml", text.replace(/^robot: .*$/m, `robot: '${name}'`));
  const { url } = await serve("hostile.yaml");
  const { page, context, said } = await look(url);
  assert.equal(await page.textContent("#name"), name);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(said, []);
  await context.close();
});

test("the page says when torsor view has ended", async () => {
  const { url, server } = await serve("planar2r");
  const { page, context } = await look(url);
  server.kill("SIGINT");
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.equal(code, 0);
  await page.fill("#q-text", "0, 0");
  await page.press("#q-text", "Enter");
  await page.waitForFunction(() => document.querySelector("#note.error") !== null);
  await context.close();
});
