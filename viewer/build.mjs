// Bundles the scripts of the pages: node build.mjs FOLDER writes NAME.js and NAME.css for each
// src/NAME.ts that is the start of a page.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, "dist"));
const pages = ["page", "view"].filter((name) => existsSync(join(here, "src", `${name}.ts`)));

/// The text stands in a CDATA section of a page and in a raw string of C++.
function embeddable(name, text) {
  text = text.replaceAll("]]>", "]] >");
  for (const end of ["</script", "</style", ')torsor~"'])
    if (text.includes(end)) throw new Error(`${name} contains ${end}`);
  return text;
}

/// What the authors of the bundled packages ask for.
const licences = ["three", "uplot"]
  .map((name) => {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    return `/*! ${name}\n${text.replaceAll("*/", "* /")}\n*/`;
  })
  .join("\n");

mkdirSync(folder, { recursive: true });
for (const page of pages) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [`src/${page}.ts`],
    outfile: join(folder, `${page}.js`),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "ascii",
    legalComments: "none",
    footer: { js: licences },
    loader: { ".css": "css" },
    logLevel: "warning",
  });
  let style = "";
  for (const file of result.outputFiles) {
    if (file.path.endsWith(".css")) style = file.text;
    else writeFileSync(file.path, embeddable(file.path, file.text));
  }
  writeFileSync(join(folder, `${page}.css`), embeddable(`${page}.css`, style));
}
