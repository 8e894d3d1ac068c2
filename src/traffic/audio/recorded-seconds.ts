import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';
import { lastBlockSeconds } from './webm.ts';

/** The length of an MP3 file by its frames; `null` if it is none. */
const mp3Seconds = (bytes: Buffer): number | null => {
  if (identifyContainer(bytes.subarray(0, signatureLength), 'mp3')?.format !== 'mp3') return null;
  const scanner = createScanner('mp3');
  scanner.feed(bytes);
  const { seconds, fault } = scanner.end();
  return fault?.kind === 'container' ? null : seconds;
};

/**
 * How far a recording really goes, in seconds, where its container's header tells a length that
 * would stay the same if the file were cut: an MP3 file to the end of its last whole frame, a WebM
 * file to the begin of its last whole block. `null` for others.
 */
export const recordedSeconds = (bytes: Uint8Array): number | null => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('latin1', 0, 4) === '\x1a\x45\xdf\xa3'
    ? lastBlockSeconds(buffer)
    : mp3Seconds(buffer);
};
