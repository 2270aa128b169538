// Programs in links: compressed, in the part of the address behind #.

const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

/** What a link holds, as text for an address. */
export async function packedText(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return btoa(String.fromCharCode(...await bytesOf(stream))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The same back; null where it is none. */
export async function unpackedText(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text());
  } catch {
    return null;
  }
}
