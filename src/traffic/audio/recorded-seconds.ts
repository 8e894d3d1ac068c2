import { isEbml, webmBlocks } from '../../contract/containers.ts';
import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';

/** Returns when the last complete block of a WebM file starts to play, in seconds; `null` if it has none. */
const lastBlockSeconds = (bytes: Uint8Array): number | null => {
  let last: number | null = null;
  let scale = 0;
  for (const { time, unit } of webmBlocks(bytes, true)) {
    last = Math.max(last ?? 0, time);
    scale = unit;
  }
  return last === null ? null : (last * scale) / 1e9;
};

/** Returns the duration of an MP3 file by its frames; `null` for other files. */
const mp3Seconds = (bytes: Buffer): number | null => {
  if (identifyContainer(bytes.subarray(0, signatureLength), 'mp3')?.format !== 'mp3') return null;
  const scanner = createScanner('mp3');
  scanner.feed(bytes);
  const { seconds, fault } = scanner.end();
  return fault?.kind === 'container' ? null : seconds;
};

/**
 * Returns the actual duration of a recording in seconds if its container's header declares one that truncation does not
 * change: for MP3 up to the end of its last complete frame, for WebM up to the start of its last complete block. `null`
 * for others.
 */
export const recordedSeconds = (bytes: Uint8Array): number | null =>
  isEbml(bytes)
    ? lastBlockSeconds(bytes)
    : mp3Seconds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
