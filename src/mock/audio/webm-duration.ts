import { ebmlLength, isEbml } from './ebml.ts';
import { readUint } from './read-bytes.ts';

/** Elements (RFC 9559, section 5.1) in which the ones below are: segment, info, cluster, block group. */
const containerElements: readonly number[] = [0x18538067, 0x1549a966, 0x1f43b675, 0xa0];
const timestampScale = 0x2ad7b1;
const clusterTimestamp = 0xe7;
const blocks: readonly number[] = [0xa3, 0xa1];

interface Element {
  readonly id: number;
  readonly from: number;
  readonly bytes: number;
}

/** All elements of a file, those within the outer ones too, in order. */
function* elementsOf(file: Uint8Array): Generator<Element> {
  let position = 0;
  while (position < file.length) {
    // An id has as many bytes as a length, its marker included.
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
 * How long a WebM file plays by its blocks, in seconds: browsers and pipes write files that do not
 * tell it. The last block is taken to play as long as the one before; `null` with fewer than two.
 */
export const webmDuration = (file: Uint8Array): number | null => {
  if (!isEbml(file)) return null;
  // Nanoseconds.
  let unit = 1_000_000;
  let cluster = 0;
  let previousBlock = 0;
  let end = 0;
  for (const { id, from, bytes } of elementsOf(file)) {
    if (id === timestampScale) unit = readUint(file, from, bytes);
    if (id === clusterTimestamp) cluster = readUint(file, from, bytes);
    if (!blocks.includes(id)) continue;
    // Behind the track's number, signed, counted from the cluster's.
    const offset = readUint(file, from + ebmlLength(file, from).bytes, 2);
    const next = cluster + (offset < 0x8000 ? offset : offset - 0x10000);
    if (next <= previousBlock) continue;
    end = next + next - previousBlock;
    previousBlock = next;
  }
  return end === 0 ? null : (end * unit) / 1e9;
};
