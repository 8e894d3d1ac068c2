import { isEbml, webmBlocks } from '../../contract/containers.ts';
import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';

/** When the last complete block of a WebM file starts to play, in seconds; `null` if it has none. */
const lastBlockSeconds = (bytes: Uint8Array): number | null => {
  let last: number | null = null;
  let scale = 0;
  for (const { time, unit } of webmBlocks(bytes, true)) {
    last = Math.max(last ?? 0, time);
    scale = unit;
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
export const recordedSeconds = (bytes: Uint8Array): number | null =>
  isEbml(bytes)
    ? lastBlockSeconds(bytes)
    : mp3Seconds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
