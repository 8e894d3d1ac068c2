import type { RecordedLength } from '../../model/workload/clip.ts';
import type { SpeechFormat } from '../../model/workload/traffic.ts';
import { isEbml, isMp4, mp4EndsEarly, webmBlocks } from '../../contract/containers.ts';
import { identifyContainer, createScanner, signatureLength } from './audio-container.ts';

/**
 * Returns when the last complete block of a WebM file starts to play, in seconds; `null` if the file has no complete
 * block.
 */
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
 * Returns the duration of a file in seconds, computed from its frames, samples or pages; `null` if the file is not in
 * the given container, or if its codec is not supported.
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
 * Returns the real duration of a recording in seconds; `null` if the file's format is not supported. An MP3 recording
 * ends with its last complete frame, and a WebM recording with the start of its last complete block. In WAV and Ogg
 * Opus, the whole content of the file counts. If `isFinal` is true, the duration in the header is ignored, because it
 * may be missing or a placeholder. `isCut` means that the container declares more bytes than the file has. Only MP4
 * files are checked for this; their duration is not computed.
 */
export const recordedSeconds = (file: Uint8Array): RecordedLength | null => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (isMp4(bytes) && mp4EndsEarly(bytes)) return { seconds: 0, isFinal: false, isCut: true };
  const counted = scannedSeconds(bytes, 'wav') ?? scannedSeconds(bytes, 'opus');
  if (counted !== null) return { seconds: counted, isFinal: true };
  const seconds = isEbml(bytes) ? lastBlockSeconds(bytes) : scannedSeconds(bytes, 'mp3');
  return seconds === null ? null : { seconds, isFinal: false };
};
