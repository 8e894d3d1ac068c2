/** Only this many bytes at the beginning of a text without a byte order mark are checked to recognise its encoding. */
const checkedBytes = 256;

/**
 * Returns the byte order of a text in UTF-16; `null` for another encoding. Windows programs begin a text with a byte
 * order mark. A text without a mark is recognised by its Latin letters, in which every second byte is 0.
 */
export const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const begin = bytes.subarray(0, checkedBytes);
  const zeros = [0, 0];
  for (const [at, byte] of begin.entries()) if (byte === 0) zeros[at % 2]! += 1;
  const [even, odd] = zeros as [number, number];
  const most = begin.length * 0.4;
  if (begin.length < 4 || Math.max(even, odd) < most || Math.min(even, odd) > 0) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
};
