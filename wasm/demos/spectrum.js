// A tone is made sample by sample, and taken apart again into its frequencies.
import { palette } from './demo.js';

export const title = 'Spectrum of a tone';
export const about = 'Harmonics with vibrato are added up, a window is laid over the samples, and a Fourier transform finds the harmonics again.';
export const hint = 'Above the wave, in the middle its spectrum, below the last seconds of it. Sound comes with the button.';
const rate = 22050;
let count = 4096;
export const size = [560, 400];
export const sizes = { label: 'samples', values: [1024, 4096, 16384, 65536], value: 4096 };
export function resize(value) { count = value; }
export const controls = {
  pitch: { label: 'pitch, Hz', min: 80, max: 900, step: 1, value: 220 },
  harmonics: { label: 'harmonics', min: 1, max: 24, step: 1, value: 12 },
  vibrato: { label: 'vibrato', min: 0, max: 30, step: 0.5, value: 9 },
  sound: { label: 'Sound on or off', press: (settings) => { settings.sound = !settings.sound; } },
};

export function start() {
  return { wave: new Float32Array(count), power: new Float32Array(count / 2 + 1) };
}

// ---- numjit ----
export function numjit(np, compiled, state) {
  const samples = count, turn = 2 * Math.PI;
  const t = np.arange(samples).divide(rate).astype('float32');
  const hann = np.hanning(samples).astype('float32');
  const wave = np.array(state.wave), power = np.array(state.power);

  const play = compiled(function play(start, pitch, harmonics, vibrato) {
    const now = t.add(start);
    const shake = np.sin(now.multiply(turn * 5)).multiply(vibrato / 5);
    const phase = now.multiply(turn * pitch).add(shake);
    let tones = np.sin(phase);
    for (let h = 2; h <= harmonics; ++h) // fused: a pass over memory for all
      tones = tones.add(np.sin(phase.multiply(h)).multiply(1 / h));
    wave.set(tones);
  }, { fullgraph: true });

  const analyse = compiled(function analyse() {
    const heights = np.abs(np.fft.rfft(wave.multiply(hann)));
    power.set(np.log10(heights.add(1e-3)));
  });

  return {
    step({ pitch, harmonics, vibrato, time }) {
      play(np.float(time ?? 0), pitch, harmonics, vibrato);
      analyse();
    },
    fields: () => ({ wave: wave.data, power: power.data }),
  };
}

// ---- hand-written ----
export function handWritten({ wave, power }) {
  const samples = count, re = new Float64Array(samples), im = new Float64Array(samples);
  const bits = Math.log2(samples), turn = 2 * Math.PI;
  const table = (f) => Float64Array.from(re, (_, i) => f(i));
  const hann = table((i) => 0.5 - 0.5 * Math.cos((turn * i) / (samples - 1)));
  const turned = table((i) => [...i.toString(2).padStart(bits, '0')]
    .reverse().reduce((r, bit) => r * 2 + Number(bit), 0));
  const cos = table((i) => Math.cos((turn * i) / samples));
  const sin = table((i) => -Math.sin((turn * i) / samples));

  function transform() {
    for (let half = 1; half < samples; half *= 2) {
      const stride = samples / (2 * half);
      for (let block = 0; block < samples; block += 2 * half) {
        for (let k = 0; k < half; ++k) {
          const a = block + k, b = a + half;
          const c = cos[k * stride], s = sin[k * stride];
          const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
          re[b] = re[a] - x;
          im[b] = im[a] - y;
          re[a] += x;
          im[a] += y;
        }
      }
    }
  }
  return {
    step({ pitch, harmonics, vibrato, time = 0 }) {
      for (let i = 0; i < samples; ++i) {
        const now = time + i / rate;
        const phase = turn * pitch * now
          + (vibrato / 5) * Math.sin(turn * 5 * now);
        let sum = 0;
        for (let h = 1; h <= harmonics; ++h) sum += Math.sin(h * phase) / h;
        wave[i] = sum;
      }
      for (let i = 0; i < samples; ++i) re[turned[i]] = wave[i] * hann[i];
      im.fill(0);
      transform();
      for (let i = 0; i < power.length; ++i)
        power[i] = Math.log10(Math.hypot(re[i], im[i]) + 1e-3);
    },
    fields: () => ({ wave, power }),
  };
}

// ---- page ----
const colours = palette('#0a0d18', '#2a1a5e', '#7b2a8b', '#d9486e', '#ff9a5c', '#fff2b0');
const css = Array.from(colours, (c) => `rgb(${c & 255} ${c >> 8 & 255} ${c >> 16 & 255})`);
let speaker = null;
export function draw(context, engine, settings) {
  const { wave, power } = engine.fields(), [width, height] = size;
  settings.time = (settings.time ?? 0) + 1 / 60;
  const below = context.getImageData(0, 282, width, height - 283);
  context.fillStyle = '#0a0d18';
  context.fillRect(0, 0, width, height);
  context.putImageData(below, 0, 283); // the past moves down
  const row = context.createImageData(width, 1), colour = new Uint32Array(row.data.buffer);
  const levelAt = (x) => (power[Math.floor((x / width) * 0.39 * (power.length - 1))] - Math.log10(power.length) + 5) / 5;
  for (let x = 0; x < width; ++x) colour[x] = colours[Math.max(0, Math.min(255, Math.round(255 * levelAt(x))))];
  context.putImageData(row, 0, 282);
  for (let x = 0; x < width; x += 2) {
    const level = Math.max(0, levelAt(x));
    context.fillStyle = css[Math.min(255, Math.round(60 + 195 * level))];
    context.fillRect(x, 274 - 165 * level, 2, 165 * level);
  }
  context.strokeStyle = '#ffb36b';
  context.lineWidth = 1.4;
  context.beginPath();
  for (let x = 0; x < width; ++x) context.lineTo(x, 52 - 24 * wave[Math.floor((x / width) * Math.min(840, wave.length))]);
  context.stroke();
  sound(settings);
}
function sound({ sound: on, pitch, harmonics, vibrato }) {
  if (on && !speaker) {
    const audio = new AudioContext(), tone = audio.createOscillator(), shake = audio.createOscillator();
    const depth = audio.createGain(), loudness = audio.createGain();
    shake.connect(depth).connect(tone.frequency);
    tone.connect(loudness).connect(audio.destination);
    shake.frequency.value = 5;
    loudness.gain.value = 0.08;
    tone.start();
    shake.start();
    speaker = { audio, tone, depth };
  }
  if (!speaker) return;
  if (!on) {
    speaker.audio.close();
    speaker = null;
    return;
  }
  const { audio, tone, depth } = speaker;
  tone.frequency.value = pitch;
  depth.gain.value = vibrato;
  if (speaker.harmonics === harmonics) return;
  speaker.harmonics = harmonics;
  tone.setPeriodicWave(audio.createPeriodicWave(new Float32Array(25), Float32Array.from({ length: 25 }, (_, h) => (h > 0 && h <= harmonics ? 1 / h : 0))));
}
