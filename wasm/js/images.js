// Pictures: the ImageData of a canvas as an array, and arrays as ImageData.
import { errors } from './errors.js';

export function addImages(np, handleOf) {
  /** The pixels of an ImageData (or of a canvas, or a 2D context) as uint8 of shape [height, width, 4]. */
  np.fromImageData = (image) => {
    const context = typeof image?.getContext === 'function' ? image.getContext('2d') : image;
    const pixels = typeof context?.getImageData === 'function'
      ? context.getImageData(0, 0, context.canvas.width, context.canvas.height) : context;
    if (!ArrayBuffer.isView(pixels?.data) || pixels.data.length !== 4 * pixels.width * pixels.height)
      throw new TypeError(`np.fromImageData: got ${image?.constructor?.name ?? typeof image}, expected ImageData, a canvas or its 2D context.`);
    return np.tidy(() => np.array(pixels.data).reshape(pixels.height, pixels.width, 4));
  };

  /**
   * An array as ImageData: [height, width] is grey, [height, width, 3] RGB, [height, width, 4] RGBA. uint8 stands as
   * it is, bool is black and white, floats go from 0 to 1. `into`: an ImageData of that size to be written again.
   */
  np.toImageData = (a, options) => {
    handleOf(a);
    const { into } = options ?? {};
    const shape = a.shape, [height, width, channels = 1] = shape;
    if (shape.length < 2 || shape.length > 3 || ![1, 3, 4].includes(channels))
      throw new errors.ValueError(`np.toImageData: got an array of shape (${shape.join(', ')}), expected [height, width], or that with 3 or 4 channels.`);
    if (!'bfu'.includes(a.dtype.kind) || (a.dtype.kind === 'u' && a.dtype.itemsize !== 1))
      throw new TypeError(`np.toImageData: got ${a.dtype}, expected uint8, bool, or floats from 0 to 1.`);
    if (into && (into.width !== width || into.height !== height))
      throw new errors.ValueError(`np.toImageData: into: got ${into.width} x ${into.height} pixels, expected ${width} x ${height}.`);
    if (!into && typeof globalThis.ImageData !== 'function') throw new errors.NotImplementedError('np.toImageData: there is no ImageData here, Node has none. Hint: toImageData(a, { into }) fills what is like one.');
    const image = into ?? new ImageData(width, height);
    np.tidy(() => fill(image.data, a, channels));
    return image;
  };

  function fill(pixels, a, channels) {
    if (a.dtype.kind === 'f') a = a.multiply(255).add(0.5).clip(0, 255).astype('uint8');
    const values = a.data, scale = a.dtype.kind === 'b' ? 255 : 1;
    if (channels === 4) return pixels.set(values);
    const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
    if (channels === 1) for (let i = 0; i < words.length; ++i) words[i] = 0xff000000 | (values[i] * scale * 0x10101);
    else for (let i = 0, j = 0; i < words.length; ++i, j += 3) words[i] = 0xff000000 | ((values[j] | values[j + 1] << 8 | values[j + 2] << 16) * scale);
    return undefined;
  }
}
