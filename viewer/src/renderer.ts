/// How a canvas is drawn on: by a graphics card with smooth edges, or by the processor.
import * as three from "three";

/// Asked of a context of its own: whether edges are to be smoothed is decided before there is another.
export function draws_in_software(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const name = context.getExtension("WEBGL_debug_renderer_info");
  const text = String(context.getParameter(name ? name.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(text);
}

export function make_renderer(canvas: HTMLCanvasElement, antialias: boolean): three.WebGLRenderer | null {
  const context = canvas.getContext("webgl2", {
    alpha: true,
    antialias,
    preserveDrawingBuffer: false,
  });
  if (!context) return null;
  const renderer = new three.WebGLRenderer({ canvas, context, antialias, alpha: true });
  renderer.setClearColor(0x000000, 0);
  renderer.toneMapping = three.NeutralToneMapping;
  renderer.toneMappingExposure = 1.0;
  return renderer;
}
