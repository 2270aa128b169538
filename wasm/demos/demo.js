// What demos are made with: elements of a page, colours, pictures of fields of numbers. The frame around them is frame.js.

/** An element with attributes and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** 256 colours between stops such as '#102030', as pixels of ImageData. */
export function palette(...stops) {
  const rgb = stops.map((stop) => [1, 3, 5].map((i) => parseInt(stop.slice(i, i + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (rgb.length - 1), k = Math.min(rgb.length - 2, Math.floor(at));
    const [r, g, b] = rgb[k].map((low, c) => Math.round(low + (rgb[k + 1][c] - low) * (at - k)));
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  });
}

/** Paints a field of numbers, low to high, in the colours of a palette. */
export function paint(context, values, low, high, colours) {
  const { width, height } = context.canvas;
  context.image ??= context.createImageData(width, height);
  const pixels = new Uint32Array(context.image.data.buffer), scale = 255 / (high - low);
  for (let i = 0; i < pixels.length; ++i) {
    const level = (values[i] - low) * scale;
    pixels[i] = colours[level > 255 ? 255 : level > 0 ? level | 0 : 0];
  }
  context.putImageData(context.image, 0, 0);
}
