import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';

/** The elements of a WebM file (RFC 8794, RFC 9559) that determine when its last block plays. */
const ids = {
  timestampScale: 0x2ad7b1,
  clusterTimestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
};
/** Segment, Info, Cluster, BlockGroup: only their content is read, so their lengths do not matter. */
const containerIds: ReadonlySet<number> = new Set([0x18538067, 0x1549a966, 0x1f43b675, 0xa0]);

const usualScale = 1_000_000;

/** The bytes of a variable-length number, by its first byte; 9 if invalid. */
const lengthBy = (first: number): number => Math.clz32(first) - 23;

/** `mask` is for the first byte. */
const readUnsigned = (bytes: Buffer, mask = 0xff): number =>
  bytes.reduce((value, byte, at) => value * 256 + (at === 0 ? byte & mask : byte), 0);

interface Element {
  readonly id: number;
  /** Start and end of its content; an unknown length extends beyond any file. */
  readonly begin: number;
  readonly end: number;
}

/** The element at a position; `null` if there is none, or only a part of its header. */
const readElement = (bytes: Buffer, at: number): Element | null => {
  const idLength = lengthBy(bytes[at] ?? 0);
  const sizeAt = at + idLength;
  const sizeLength = lengthBy(bytes[sizeAt] ?? 0);
  const begin = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || begin > bytes.length) return null;
  const size = readUnsigned(bytes.subarray(sizeAt, begin), 0xff >> sizeLength);
  return { id: readUnsigned(bytes.subarray(at, sizeAt)), begin, end: begin + size };
};

/** When the last complete block of a WebM file starts to play, in seconds; `null` if it has none. */
const lastBlockSeconds = (bytes: Buffer): number | null => {
  let scale = usualScale;
  let cluster = 0;
  let last: number | null = null;
  let element = readElement(bytes, 0);
  while (element !== null) {
    const { id, begin, end } = element;
    const isOpened = containerIds.has(id);
    if (!isOpened && end > bytes.length) break;
    const body = bytes.subarray(begin, end);
    if (id === ids.timestampScale) scale = readUnsigned(body.subarray(0, 8));
    if (id === ids.clusterTimestamp) cluster = readUnsigned(body.subarray(0, 8));
    if (id === ids.simpleBlock || id === ids.block) {
      const time = lengthBy(body[0] ?? 0);
      if (time + 2 <= body.length) last = Math.max(last ?? 0, cluster + body.readInt16BE(time));
    }
    element = readElement(bytes, isOpened ? begin : end);
  }
  return last === null ? null : (last * scale) / 1e9;
};

/** The duration of an MP3 file by its frames; `null` for other files. */
const mp3Seconds = (bytes: Buffer): number | null => {
  if (identifyContainer(bytes.subarray(0, signatureLength), 'mp3')?.format !== 'mp3') return null;
  const scanner = createScanner('mp3');
  scanner.feed(bytes);
  const { seconds, fault } = scanner.end();
  return fault?.kind === 'container' ? null : seconds;
};

/**
 * The actual duration of a recording in seconds, where its container's header declares one that
 * does not change when the file is truncated: of MP3 to the end of its last complete frame, of WebM
 * to the start of its last complete block. `null` for others.
 */
export const recordedSeconds = (bytes: Uint8Array): number | null => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('latin1', 0, 4) === '\x1a\x45\xdf\xa3'
    ? lastBlockSeconds(buffer)
    : mp3Seconds(buffer);
};
