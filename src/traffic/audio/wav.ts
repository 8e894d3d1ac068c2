import { isUnknownLength } from '../../contract/containers.ts';
import { type FoundAudio, ScanFault, type ScanStep, wholeBytes } from './scanner.ts';

/**
 * A WAV file begins with `RIFF`; its variants with 64-bit lengths begin with `RF64` (EBU Tech 3306) or `BW64` (ITU-R
 * BS.2088).
 */
export const wavSignatures = ['RIFF', 'RF64', 'BW64'] as const;
/**
 * The number of bytes that are read from the chunk `ds64`: 8 bytes for the length of the WAV file, and 8 bytes for the
 * length of its audio.
 */
const longLengths = 16;

/**
 * Matches the names of chunks that writers put after the audio. If the declared length of the audio is 0 and such a
 * chunk follows, the file really has no audio. If other bytes follow, the length is unknown.
 */
const trailer = /^(?:LIST|id3 |ID3 |bext|cue |fact|smpl|iXML|_PMX|JUNK|PAD )$/;

/**
 * In these codecs, a block has one sample for each channel: PCM, floating point, A-law, µ-law, and the extensible form
 * of these codecs.
 */
const plainCodecs: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe]);
/** In these codecs, the format declares how many samples a block has: both kinds of ADPCM, and GSM. */
const blockCodecs: ReadonlySet<number> = new Set([2, 0x11, 0x31]);
/** The number of bytes that are read from the chunk `fmt `. */
const formatLength = 20;
/**
 * The maximum sample rate. No audio converter reaches a higher rate, so a higher rate means that the header is invalid.
 */
const maxSampleRate = 768_000;

/**
 * Reads the fields of the chunk `fmt ` from which the length of the audio is computed; returns `null` if the fields do
 * not determine the length.
 */
const readFormat = (chunk: Buffer) => {
  if (chunk.length < 16) return null;
  const codec = chunk.readUInt16LE(0);
  const declaresBlocks = blockCodecs.has(codec) && chunk.length === formatLength;
  const blockSamples = declaresBlocks ? chunk.readUInt16LE(18) : 0;
  const format = {
    sampleRate: chunk.readUInt32LE(4),
    bytesPerBlock: chunk.readUInt16LE(12),
    /** The number of samples of each channel in one block. */
    samplesPerBlock: plainCodecs.has(codec) ? 1 : blockSamples,
  };
  return Object.values(format).includes(0) || format.sampleRate > maxSampleRate ? null : format;
};

type Format = NonNullable<ReturnType<typeof readFormat>>;

/** Rounds a size up to an even number, because chunks start at even positions. */
const padSize = (size: number): number => size + (size % 2);

const cutBeforeAudioMessage = 'the WAV file ends before its audio';

/**
 * Scans a WAV file (RIFF, Microsoft and IBM 1991), and compares the length of its audio with the length that the header
 * declares.
 */
export function* scanWav(found: FoundAudio): ScanStep<void> {
  let format: Format | null = null;
  /** The length of the audio in a file with 64-bit lengths, in bytes; 0 if unknown. */
  let longSize = 0;
  yield* wholeBytes({ count: 12 }, 'the WAV file ends inside its header');
  for (;;) {
    const head = yield* wholeBytes({ count: 8, keep: true }, cutBeforeAudioMessage);
    const id = head.toString('latin1', 0, 4);
    const size = head.readUInt32LE(4);
    if (id === 'data') {
      const declared = size === 0xffff_ffff ? longSize : size;
      if (format !== null) return yield* scanAudio(found, declared, format);
      throw new ScanFault('container', 'the WAV file has no format before its audio');
    }
    const kept = { 'fmt ': formatLength, ds64: longLengths }[id] ?? 0;
    const seen = Math.min(size, kept);
    const fields = yield* wholeBytes({ count: seen, keep: true }, cutBeforeAudioMessage);
    if (id === 'ds64' && seen === longLengths) longSize = Number(fields.readBigUInt64LE(8));
    if (id === 'fmt ') {
      format = readFormat(fields);
      if (format === null)
        throw new ScanFault('container', 'the format of the WAV file is not usable');
    }
    yield { count: padSize(size) - seen };
  }
}

function* scanAudio(found: FoundAudio, declared: number, format: Format): ScanStep<void> {
  const bytesPerSecond = (format.sampleRate * format.bytesPerBlock) / format.samplesPerBlock;
  const unknown = isUnknownLength(declared, bytesPerSecond);
  const begin = yield { count: declared === 0 ? 4 : 0, keep: true };
  const isEmpty = trailer.test(begin.bytes.toString('latin1'));
  const count = unknown ? Number.POSITIVE_INFINITY : declared;
  const rest = yield { count, audio: !isEmpty };
  const bytes = isEmpty ? 0 : begin.count + rest.count;
  const samples = Math.floor(bytes / format.bytesPerBlock) * format.samplesPerBlock;
  found.add(samples, format.sampleRate);
  if (!unknown && bytes < declared) {
    const detail = `the WAV file declares ${declared} bytes of audio and ends after ${bytes}`;
    throw new ScanFault('truncated', detail);
  }
  if (samples === 0) throw new ScanFault('silent', 'the WAV file has a header and no audio');
  found.hasJunk = yield* hasJunk(declared % 2);
}

/**
 * Returns whether anything other than chunks follows the audio. An example is a second WAV file, which no player would
 * play.
 */
function* hasJunk(padding: number): ScanStep<boolean> {
  yield { count: padding };
  for (;;) {
    const head = yield { count: 8, keep: true };
    if (head.count === 0) return false;
    const id = head.bytes.toString('latin1', 0, 4);
    if (head.count < 8 || /^(?:RIFF|RF64|BW64|data)$/.test(id) || !/^[\w ]{4}$/.test(id))
      return true;
    yield { count: padSize(head.bytes.readUInt32LE(4)) };
  }
}
