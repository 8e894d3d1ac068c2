import { readUint } from './read-bytes.ts';

/** Whether a file is of the family of WebM (RFC 8794, section 11.2.1). */
export const isEbml = (file: Uint8Array): boolean => readUint(file, 0, 4) === 0x1a45dfa3;

/** An EBML length (RFC 8794, section 4): the size of its field and its value, `null` for unknown. */
export const ebmlLength = (file: Uint8Array, from: number) => {
  const first = readUint(file, from, 1);
  const bytes = Math.clz32(first) - 23;
  const marker = 0x100 >> bytes;
  const value = (first & (marker - 1)) * 256 ** (bytes - 1) + readUint(file, from + 1, bytes - 1);
  return { bytes, value: value >= 2 ** (7 * bytes) - 1 ? null : value };
};

/** Elements that contain the ones below (RFC 9559, section 5.1): segment, info, cluster, block group. */
const containerElements: readonly number[] = [0x18538067, 0x1549a966, 0x1f43b675, 0xa0];
const timestampScale = 0x2ad7b1;
const clusterTimestamp = 0xe7;
const blocks: readonly number[] = [0xa3, 0xa1];

/** All elements of a file in order, nested ones included. */
function* elementsOf(file: Uint8Array) {
  let position = 0;
  while (position < file.length) {
    // The size of an id is encoded like that of a length.
    const idBytes = ebmlLength(file, position).bytes;
    const id = readUint(file, position, idBytes);
    const length = ebmlLength(file, position + idBytes);
    const from = position + idBytes + length.bytes;
    const isOuter = containerElements.includes(id);
    if (!isOuter && (length.value === null || from + length.value > file.length)) return;
    yield { id, from, bytes: length.value ?? 0 };
    position = isOuter ? from : from + (length.value ?? 0);
  }
}

/**
 * The length of a WebM file by its blocks, in seconds, for files of browsers and pipes that do not declare it.
 * The last block counts as long as the one before; `null` with fewer than two.
 */
export const webmDuration = (file: Uint8Array): number | null => {
  if (!isEbml(file)) return null;
  /** In nanoseconds. */
  let unit = 1_000_000;
  let cluster = 0;
  let previousBlock = 0;
  let end = 0;
  for (const { id, from, bytes } of elementsOf(file)) {
    if (id === timestampScale) unit = readUint(file, from, bytes);
    if (id === clusterTimestamp) cluster = readUint(file, from, bytes);
    if (!blocks.includes(id)) continue;
    // After the track's number: signed, relative to the cluster.
    const offset = readUint(file, from + ebmlLength(file, from).bytes, 2);
    const next = cluster + (offset < 0x8000 ? offset : offset - 0x10000);
    if (next <= previousBlock) continue;
    end = next + next - previousBlock;
    previousBlock = next;
  }
  return end === 0 ? null : (end * unit) / 1e9;
};
