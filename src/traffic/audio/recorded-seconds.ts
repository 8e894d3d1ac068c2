import type { RecordedLength } from '../../model/workload/clip.ts';
import type { SpeechFormat } from '../../model/workload/traffic.ts';
import { isEbml, webmBlocks } from '../../contract/containers.ts';
import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';

/** Returns when the last complete block of a WebM file starts to play, in seconds; `null` if there is none. */
const lastBlockSeconds = (bytes: Uint8Array): number | null => {
  let last: number | null = null;
  let scale = 0;
  for (const { time, unit } of webmBlocks(bytes, true)) {
    last = Math.max(last ?? 0, time);
    scale = unit;
  }
  return last === null ? null : (last * scale) / 1e9;
};

/**
 * Returns the duration of a file by its frames, samples or pages; `null` if it is not in that container, or its codec is
 * not supported.
 */
const scannedSeconds = (bytes: Buffer, format: SpeechFormat): number | null => {
  const start = bytes.subarray(0, signatureLength);
  if (identifyContainer(start, format)?.format !== format) return null;
  const scanner = createScanner(format);
  scanner.feed(bytes);
  const { seconds, fault } = scanner.end();
  return fault?.kind === 'container' ? null : seconds;
};

/**
 * Returns the actual duration of a recording in seconds: for MP3 up to the end of its last complete frame, for WebM
 * up to the start of its last complete block, for WAV and Ogg Opus all that the file contains. `isFinal` means that the
 * header does not matter, since it may declare a placeholder or nothing. Returns `null` for other files.
 */
export const recordedSeconds = (file: Uint8Array): RecordedLength | null => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  const counted = scannedSeconds(bytes, 'wav') ?? scannedSeconds(bytes, 'opus');
  if (counted !== null) return { seconds: counted, isFinal: true };
  const seconds = isEbml(bytes) ? lastBlockSeconds(bytes) : scannedSeconds(bytes, 'mp3');
  return seconds === null ? null : { seconds, isFinal: false };
};
