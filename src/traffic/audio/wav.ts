import { type ContainerScan, faultyScan, takeBytes, skipBytes, type ScanStep } from './scanner.ts';

/** Streaming writers do not know the length in advance: they write 0, or about the largest number of 31 or 32 bits. */
const isUnknown = (declared: number): boolean => declared === 0 || declared >= 0x7fff_0000;

/** Chunks that writers put after the audio. After a length of 0, which may mean unknown, one of these means that there is no audio. */
const trailer = /^(?:LIST|id3 |ID3 |bext|cue |fact|smpl|iXML|_PMX|JUNK|PAD )$/;

interface Format {
  readonly sampleRate: number;
  readonly bytesPerBlock: number;
  /** Samples per channel. */
  readonly samplesPerBlock: number;
}

/** PCM, floating point, A-law, µ-law, and the extensible form of these: each block is one sample. */
const plainCodecs: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe]);
/** Both kinds of ADPCM, and GSM: the format declares the samples of a block. */
const blockCodecs: ReadonlySet<number> = new Set([2, 0x11, 0x31]);
const formatLength = 20;
/** Above any converter: a higher rate is an invalid header. */
const fastestRate = 768_000;

/** The used fields of the chunk `fmt `; `null` if they give no length. */
const readFormat = (chunk: Buffer): Format | null => {
  if (chunk.length < 16) return null;
  const codec = chunk.readUInt16LE(0);
  const format = {
    sampleRate: chunk.readUInt32LE(4),
    bytesPerBlock: chunk.readUInt16LE(12),
    samplesPerBlock: plainCodecs.has(codec)
      ? 1
      : blockCodecs.has(codec) && chunk.length === formatLength
        ? chunk.readUInt16LE(18)
        : 0,
  };
  return Object.values(format).includes(0) || format.sampleRate > fastestRate ? null : format;
};

const secondsOf = (bytes: number, { sampleRate, bytesPerBlock, samplesPerBlock }: Format): number =>
  (Math.floor(bytes / bytesPerBlock) * samplesPerBlock) / sampleRate;

/** Chunks start at even positions. */
const padded = (size: number): number => size + (size % 2);

/**
 * Scans a WAV file (RIFF, Microsoft and IBM 1991): its chunks up to the audio, and the audio's
 * length against what the header declares.
 */
export function* scanWav(): ContainerScan {
  let format: Format | null = null;
  const riff = yield takeBytes(12);
  if (riff.count < 12) return faultyScan('truncated', 'the WAV file ends inside its header');
  for (;;) {
    const head = yield takeBytes(8);
    if (head.count < 8) return faultyScan('truncated', 'the WAV file ends before its audio');
    const id = head.bytes.toString('latin1', 0, 4);
    const size = head.bytes.readUInt32LE(4);
    if (id === 'data') {
      if (format === null)
        return faultyScan('container', 'the WAV file has no format before its audio');
      return yield* scanAudio(size, format);
    }
    let seen = 0;
    if (id === 'fmt ') {
      const chunk = yield takeBytes(Math.min(size, formatLength));
      seen = chunk.count;
      if (seen < Math.min(size, formatLength)) continue;
      format = readFormat(chunk.bytes);
      if (format === null)
        return faultyScan('container', 'the format of the WAV file is not usable');
    }
    yield skipBytes(padded(size) - seen);
  }
}

function* scanAudio(declared: number, format: Format): ContainerScan {
  const unknown = isUnknown(declared);
  const begin = declared === 0 ? yield takeBytes(4) : null;
  const isEmpty = trailer.test(begin?.bytes.toString('latin1') ?? '');
  const rest = yield skipBytes(unknown ? Number.POSITIVE_INFINITY : declared, !isEmpty);
  const count = isEmpty ? 0 : (begin?.count ?? 0) + rest.count;
  const seconds = secondsOf(count, format);
  if (!unknown && count < declared) {
    const detail = `the WAV file declares ${declared} bytes of audio and ends after ${count}`;
    return faultyScan('truncated', detail, seconds);
  }
  if (seconds === 0) return faultyScan('silent', 'the WAV file has a header and no audio');
  const junk = yield* hasJunk(declared % 2);
  return { seconds, fault: null, notes: junk ? ['junk'] : [] };
}

/** Whether anything but chunks follows the audio, for example a second WAV file, which no player would play. */
function* hasJunk(padding: number): ScanStep<boolean> {
  yield skipBytes(padding);
  for (;;) {
    const head = yield takeBytes(8);
    if (head.count === 0) return false;
    const id = head.bytes.toString('latin1', 0, 4);
    if (head.count < 8 || id === 'RIFF' || id === 'data' || !/^[\w ]{4}$/.test(id)) return true;
    yield skipBytes(padded(head.bytes.readUInt32LE(4)));
  }
}
