// Text in the module's memory.

const decoder = new TextDecoder();

/** Text that ends with a zero byte. */
export function readText(module, address) {
  const bytes = module.bytes();
  return decoder.decode(bytes.slice(address, bytes.indexOf(0, address)));
}

/** Names of numjit as JavaScript writes them: np.where, where the core says np::where; stopGradient, where it says stop_gradient. */
export const dotted = (text) => text.replaceAll('np::', 'np.')
  .replace(/\b(?:stop_gradient|custom_[vj][jv]p|in_axes|out_axes|axis_size)\b/g, (name) => name.replace(/_(.)/, (_, letter) => letter.toUpperCase()));

/** Text in lines, their words separated by tabs. */
export function readLines(module, address) {
  return readText(module, address).trimEnd().split('\n').map((line) => line.split('\t'));
}
