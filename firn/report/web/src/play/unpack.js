// Arrays as the page carries them: base64 of deflated bytes; numbers of four bytes lie in planes, lowest bytes first.

async function inflated(text) {
  const small = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([small]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const unpackBytes = inflated;

export async function unpackNumbers(text) {
  const planes = await inflated(text);
  const count = planes.length / 4;
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; ++i)
    numbers[i] =
      planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24);
  return numbers;
}

export const unpackFloats = async (text) => new Float32Array((await unpackNumbers(text)).buffer);
