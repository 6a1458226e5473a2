/// Where the camera stands so that the picture is full of what is to be seen.
import * as three from "three";

export function is_seen(object: three.Object3D | null): boolean {
  for (; object; object = object.parent) if (!object.visible) return false;
  return true;
}

/// Corners of the boxes around all shapes of these groups that are drawn, in the world of three.js.
export function corners(groups: three.Object3D[]): three.Vector3[] {
  const out: three.Vector3[] = [];
  for (const group of groups) {
    group.updateMatrixWorld(true);
    // Shapes are children of their group; those of other bodies are none.
    for (const shape of group.children) {
      if (!(shape instanceof three.Mesh) || !is_seen(shape)) continue;
      const geometry = shape.geometry as three.BufferGeometry;
      if (!geometry.boundingBox) geometry.computeBoundingBox();
      const { min, max } = geometry.boundingBox!;
      for (let k = 0; k < 8; ++k)
        out.push(shape.localToWorld(
          new three.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z)));
    }
  }
  return out;
}

/// From the right, the front and a little above, so near that all points with `margin` around them fill
/// the picture, whose half width and half height at distance one are `across` and `along`.
export function framed(
  points: three.Vector3[], margin: number, across: number, along: number, size: number,
): { target: three.Vector3; position: three.Vector3 } {
  const back = new three.Vector3(0.66, 0.3, 0.69).normalize();
  const right = new three.Vector3().crossVectors(new three.Vector3(0, 1, 0), back).normalize();
  const above = new three.Vector3().crossVectors(back, right);
  const target = new three.Box3().setFromPoints(points).getCenter(new three.Vector3());
  const least = 0.5 * size;
  let distance = 4 * size;
  // What is near looks larger: the middle of the picture is not that of the box, but soon found.
  for (let step = 0; step < 24; ++step) {
    let [x_low, x_high, y_low, y_high, nearest] = [Infinity, -Infinity, Infinity, -Infinity, -Infinity];
    for (const point of points) {
      const at = point.clone().sub(target);
      const depth = Math.max(distance - at.dot(back), 1e-3 * size);
      const [x, y] = [at.dot(right), at.dot(above)];
      x_low = Math.min(x_low, (x - margin) / depth);
      x_high = Math.max(x_high, (x + margin) / depth);
      y_low = Math.min(y_low, (y - margin) / depth);
      y_high = Math.max(y_high, (y + margin) / depth);
      nearest = Math.max(nearest, at.dot(back));
    }
    target.addScaledVector(right, 0.5 * (x_low + x_high) * distance);
    target.addScaledVector(above, 0.5 * (y_low + y_high) * distance);
    const share = Math.max((x_high - x_low) / (2 * across), (y_high - y_low) / (2 * along));
    distance = Math.max(distance * share, nearest + 0.1 * least, least);
  }
  return { target, position: target.clone().addScaledVector(back, distance) };
}
