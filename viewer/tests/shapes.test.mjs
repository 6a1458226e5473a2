// Geometry of meshes, without a browser.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { join } from "node:path";
import { build } from "esbuild";
import { folder } from "./browser.mjs";

let shapes;
before(async () => {
  const outfile = join(folder, "shapes.mjs");
  await build({
    entryPoints: [new URL("../src/shapes.ts", import.meta.url).pathname],
    outfile, bundle: true, format: "esm", platform: "node", logLevel: "warning",
  });
  shapes = await import(outfile);
});

const normals_of = (vertices, triangles) =>
  shapes.creased(Float32Array.from(vertices.flat()), Uint32Array.from(triangles.flat())).getAttribute("normal");

test("edges of a cube stay sharp though its sides share their corners", () => {
  const vertices = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2]);
  const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const normal = normals_of(vertices, sides.map(([a, b, c, d]) => [a, b, c, a, c, d]));
  assert.equal(normal.count, 36);
  for (let k = 0; k < normal.count; ++k) {
    const n = [normal.getX(k), normal.getY(k), normal.getZ(k)].map(Math.abs).sort();
    assert.deepEqual(n, [0, 0, 1]);
  }
});

test("a ball is smooth: its normals point away from its middle", () => {
  const vertices = [[0, 0, 1]];
  const triangles = [];
  const [rows, columns] = [24, 48];
  for (let r = 1; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      const [a, b] = [(Math.PI * r) / rows, (2 * Math.PI * c) / columns];
      vertices.push([Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)]);
    }
  vertices.push([0, 0, -1]);
  const at = (r, c) => (r === 0 ? 0 : r === rows ? vertices.length - 1 : 1 + (r - 1) * columns + (c % columns));
  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) {
      if (r > 0) triangles.push([at(r, c), at(r + 1, c), at(r, c + 1)]);
      if (r + 1 < rows) triangles.push([at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)]);
    }
  const normal = normals_of(vertices, triangles);
  triangles.flat().forEach((v, k) => {
    const along = vertices[v][0] * normal.getX(k) + vertices[v][1] * normal.getY(k) + vertices[v][2] * normal.getZ(k);
    assert.ok(along > 0.995, `${along} at ${vertices[v]}`);
  });
});

test("a disc of 60000 triangles that meet in its middle takes no time", () => {
  const count = 60_000;
  const vertices = [[0, 0, 0]];
  const triangles = [];
  for (let k = 0; k < count; ++k) {
    const a = (2 * Math.PI * k) / count;
    vertices.push([Math.cos(a), Math.sin(a), 0]);
    triangles.push([0, 1 + k, 1 + ((k + 1) % count)]);
  }
  const begin = process.cpuUsage().user;
  const normal = normals_of(vertices, triangles);
  const seconds = (process.cpuUsage().user - begin) / 1e6; // of the processor, whoever else uses it
  assert.ok(seconds < 2, `${seconds} s`);
  assert.ok(Math.abs(normal.getZ(0) - 1) < 1e-6);
});
