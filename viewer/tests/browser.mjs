// A headless Chromium that may not reach anything, and pages made by the command.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const command = process.env.TORSOR_COMMAND ?? "torsor";
export const folder = mkdtempSync(join(tmpdir(), "torsor-page-"));

/// Runs the command; a finding (exit code 1) is as good as none. Returns what it printed.
export function torsor(args, input = "") {
  try {
    return execFileSync(command, args, { cwd: folder, input, encoding: "utf8" });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw new Error(`torsor ${args.join(" ")}: ${error.stderr}`);
  }
}

export function write(name, text) {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

export async function launch() {
  const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const executablePath = places.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("chromium is missing: apt-get install chromium");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--use-gl=angle",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/// Opens a page from disk and notes what it says and asks for. The software renderer's own remarks
/// about reading pixels back ("GL Driver Message") are not the page's. `still`: a page without script.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 860 },
    acceptDownloads: true,
    offline: true,
    ...options,
  });
  const page = await context.newPage();
  const said = [];
  const asked = [];
  page.on("console", (m) => {
    if (!m.text().includes("GL Driver Message")) said.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== `file://${file}` && !/^(data|blob):/.test(url)) asked.push(url);
  });
  await page.goto(`file://${file}`);
  if (options.javaScriptEnabled !== false && !options.still) {
    await page.waitForFunction(() => window.torsor !== undefined);
    await page.waitForSelector(".panel canvas");
  }
  return { page, context, said, asked };
}
