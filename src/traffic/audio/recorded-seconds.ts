import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';
import { lastBlockSeconds } from './webm.ts';

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
