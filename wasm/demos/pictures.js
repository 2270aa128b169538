// Pictures that demos work on: a photograph, one of the visitor's, or what the camera sees. They stay in the page.
import { element } from './demo.js';

const inPage = typeof document !== 'undefined'; // demos are read in workers, too

/**
 * A source that begins with the picture at `address`: take(width, height) gives RGBA pixels if there are newer ones, else null, of the
 * whole, or of a part { x, y, zoom }, places from 0 to 1; tools() the elements that choose another. `moving()`: does it change by itself?
 */
export function pictureSource(address) {
  let picture = null, fresh = false, video = null, canvas = null, shape = '';
  function show(found) {
    video?.srcObject?.getTracks().forEach((track) => track.stop());
    video = null;
    picture = found;
    fresh = true;
  }
  async function read(blob) { show(await createImageBitmap(blob)); }
  if (inPage) fetch(new URL(address, import.meta.url)).then((answer) => (answer.ok ? answer.blob().then(read) : null)).catch(() => {}); // without it the demo has its own

  async function film(button, say) {
    if (video) {
      show(picture);
      button.textContent = 'Camera';
      return;
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640 } });
      video = Object.assign(document.createElement('video'), { srcObject: stream, muted: true, playsInline: true });
      await video.play();
      button.textContent = 'Camera off';
    } catch (error) {
      video = null;
      say(`No camera: ${error.message}`);
    }
  }

  return {
    moving: () => video !== null,
    /** The next take() gives pixels, whether they are new or not. */
    again() { fresh = true; },
    take(width, height, part = null) {
      const source = video ?? picture;
      if (source === null || (!fresh && !video && shape === `${width}x${height}`)) return null;
      canvas ??= document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const context = canvas.getContext('2d', { willReadFrequently: true });
      const [w, h] = video ? [video.videoWidth, video.videoHeight] : [picture.width, picture.height], cut = Math.min(w / width, h / height) * (part?.zoom ?? 1);
      context.drawImage(source, (w - cut * width) * (part?.x ?? 0.5), (h - cut * height) * (part?.y ?? 0.5), cut * width, cut * height, 0, 0, width, height);
      fresh = false;
      shape = `${width}x${height}`;
      return context.getImageData(0, 0, width, height).data;
    },
    /** `canvas` takes pictures that are dropped on it. */
    tools(target) {
      const said = element('span', { role: 'status' }), input = element('input', { type: 'file', accept: 'image/*', 'aria-label': 'a picture of yours', onchange: () => input.files[0] && read(input.files[0]) });
      const camera = element('button', { onclick: () => film(camera, (text) => { said.textContent = text; }) }, 'Camera');
      target.addEventListener('dragover', (event) => event.preventDefault());
      target.addEventListener('drop', (event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file?.type.startsWith('image/')) read(file);
      });
      return [element('label', {}, 'Your picture', input), camera, said];
    },
  };
}
