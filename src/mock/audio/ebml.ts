import { readUint } from './read-bytes.ts';

/** Whether a file is of the family of WebM (RFC 8794, section 11.2.1). */
export const isEbml = (file: Uint8Array): boolean => readUint(file, 0, 4) === 0x1a45dfa3;

/** An EBML length (RFC 8794, section 4): how many bytes tell it, and what, or `null` for unknown. */
export const ebmlLength = (
  file: Uint8Array,
  from: number,
): { bytes: number; value: number | null } => {
  const first = readUint(file, from, 1);
  const bytes = Math.clz32(first) - 23;
  const marker = 0x100 >> bytes;
  const value = (first & (marker - 1)) * 256 ** (bytes - 1) + readUint(file, from + 1, bytes - 1);
  return { bytes, value: value >= 2 ** (7 * bytes) - 1 ? null : value };
};
