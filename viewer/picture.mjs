// A picture of a page, for documents: node picture.mjs PAGE.html OUT.webp [SECONDS [SECTION [WIDTH HEIGHT]]]
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { open, launch } from "./tests/browser.mjs";

/// Of a PNG.
export async function as_webp(browser, png) {
  const blank = await browser.newPage();
  const webp = await blank.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9).split(",")[1];
  }, png.toString("base64"));
  return Buffer.from(webp, "base64");
}

async function picture(page_file, out, seconds = "2", section = "0", width = "1400", height = "820") {
  const browser = await launch();
  const { page } = await open(browser, resolve(page_file), {
    viewport: { width: Number(width), height: Number(height) },
  });
  if (section !== "0") await page.locator(".tabs button").nth(Number(section)).click();
  await page.evaluate((t) => {
    window.torsor.stage?.scene.setShadows(true);
    window.torsor.seek(t);
  }, Number(seconds));
  await page.waitForTimeout(800);
  writeFileSync(out, await as_webp(browser, await page.screenshot()));
  await browser.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await picture(...process.argv.slice(2));
