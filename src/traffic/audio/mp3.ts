import {
  type ContainerScan,
  faultyScan,
  type ScanFault,
  takeBytes,
  skipBytes,
  skipUntil,
  type ScanResult,
  type ScanStep,
} from './scanner.ts';

/** Samples per second of MPEG 1; MPEG 2 has half of them and MPEG 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000];

const mpeg1 = {
  divisor: 1,
  samples: 1152,
  sideInfo: { mono: 17, stereo: 32 },
  /** Bits per second of layer III in units of 1,000; 0 (free) is not supported, 15 not allowed. */
  bitRates: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const mpeg2 = {
  divisor: 2,
  samples: 576,
  sideInfo: { mono: 9, stereo: 17 },
  bitRates: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
/** By the two version bits of the header; MPEG 2.5 is Fraunhofer's extension. */
const versions = [{ ...mpeg2, divisor: 4 }, null, mpeg2, mpeg1];

/** The header of an MPEG layer III frame. */
interface Mp3Frame {
  /** Bytes, including the header. */
  readonly length: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** Bytes between the header and the audio. */
  readonly sideInfo: number;
}

export const frameHeaderLength = 4;

/** Reads four bytes as the header of a layer III frame (ISO 11172-3 2.4.1.3, ISO 13818-3 2.4.1.3); `null` if they are not one. */
export const readMp3Frame = (bytes: Buffer): Mp3Frame | null => {
  if (bytes.length < frameHeaderLength || bytes[0] !== 0xff) return null;
  const [, kind = 0, rates = 0, mode = 0] = bytes;
  const hasSync = kind >= 0xe0;
  const isLayer3 = ((kind >> 1) & 3) === 1;
  const isReserved = (mode & 3) === 2;
  const version = versions[(kind >> 3) & 3];
  const bitRate = version?.bitRates[rates >> 4] ?? 0;
  const fullRate = sampleRates[(rates >> 2) & 3];
  if (!hasSync || !isLayer3 || isReserved || !version || !fullRate || bitRate === 0) return null;
  const { divisor, samples, sideInfo } = version;
  const sampleRate = fullRate / divisor;
  const padding = (rates >> 1) & 1;
  return {
    length: Math.floor((samples * 125 * bitRate) / sampleRate) + padding,
    samples,
    sampleRate,
    sideInfo: mode >> 6 === 3 ? sideInfo.mono : sideInfo.stereo,
  };
};

/** How much of a frame is searched for the tags that encoders put into the first one. */
const tagWindow = 54;

/**
 * The number of frames that a first frame declares instead of containing audio: Xing's and
 * LAME's tag behind the side information, or Fraunhofer's VBRI, always at byte 36. 0 where the tag
 * has none; `null` for a frame of audio.
 */
const declaredFrames = (frame: Buffer, sideInfo: number): number | null => {
  const at = (place: number): string => frame.toString('latin1', place, place + 4);
  if (at(36) === 'VBRI') return frame.length < 54 ? 0 : frame.readUInt32BE(50);
  // With a checksum, some encoders write the tag two bytes later.
  for (const place of [frameHeaderLength + sideInfo, frameHeaderLength + 2 + sideInfo]) {
    if (at(place) !== 'Xing' && at(place) !== 'Info') continue;
    const hasFrameCount = frame.length >= place + 12 && (frame.readUInt32BE(place + 4) & 1) === 1;
    return hasFrameCount ? frame.readUInt32BE(place + 8) : 0;
  }
  return null;
};

const id3v1Length = 128;

/** If there is more junk than this many bytes, frames must outweigh it for a body to count as MP3. */
const toleratedJunk = 4096;

/** The second byte of a tag’s name by its first. */
const secondByteOf = new Int16Array(256).fill(-1);
for (const [first, second] of ['ID', 'TA', 'AP'].map((name) => Buffer.from(name))) {
  secondByteOf[first!] = second!;
}

/** Whether a layer III frame or a tag may start with two bytes. */
const mayStartFrameOrTag = (first: number, second: number): boolean =>
  first === 0xff ? (second & 0xe6) === 0xe2 : secondByteOf[first] === second;

/** The received part of an MP3 file. */
class Mp3Progress {
  /** Bytes in frames of audio, and bytes outside of any frame or tag. */
  audio = 0;
  junk = 0;
  frames = 0;
  /** Frames that encoder tags declare, and the number of such tags. */
  declared = 0;
  tags = 0;
  readonly #samples = new Map<number, number>();

  add({ length, samples, sampleRate }: Mp3Frame): void {
    this.audio += length;
    this.frames += 1;
    this.#samples.set(sampleRate, (this.#samples.get(sampleRate) ?? 0) + samples);
  }

  get seconds(): number {
    return [...this.#samples].reduce((sum, [rate, samples]) => sum + samples / rate, 0);
  }

  fault(kind: ScanFault['kind'], detail: string): ScanResult {
    return faultyScan(kind, detail, this.seconds);
  }

  ended(): ScanResult {
    const { audio, declared, frames, junk, tags } = this;
    if (junk > audio)
      return this.fault('container', `only ${audio} bytes of the MP3 file are frames`);
    if (frames === 0) return this.fault('silent', 'the MP3 file has no frame of audio');
    // Encoders differ in whether they count the tag's own frame.
    if (frames + tags < declared) {
      const detail = `the MP3 file declares ${declared} frames and ends after ${frames}`;
      return this.fault('truncated', detail);
    }
    return { seconds: this.seconds, fault: null, notes: junk > 0 ? ['junk'] : [] };
  }
}

/**
 * Scans an MP3 file: a sequence of frames with tags between them (ID3, APE). It plays as long as
 * its frames do; truncation shows inside a frame, or in the number of frames that the encoder declared.
 */
export function* scanMp3(): ContainerScan {
  const mp3 = new Mp3Progress();
  /** Encoders put their tag into the first frame, or the first after an ID3 tag; players play a later one as audio. */
  let mayBeTag = true;
  let { bytes: head } = yield takeBytes(frameHeaderLength);
  while (head.length === frameHeaderLength) {
    const frame = readMp3Frame(head);
    const name = head.toString('latin1');
    if (frame !== null) {
      const isWhole = yield* skipFrame(mp3, frame, mayBeTag ? head : null);
      if (!isWhole) return mp3.fault('truncated', 'the MP3 file ends inside a frame');
      mayBeTag = false;
    } else if (name.startsWith('ID3')) {
      const isWhole = yield* skipId3();
      if (!isWhole) return mp3.fault('truncated', 'the MP3 file ends inside its ID3 tag');
      mayBeTag = true;
    } else if (name.startsWith('TAG')) {
      yield skipBytes(id3v1Length - frameHeaderLength);
    } else if (name === 'APET') {
      yield* skipApe();
    } else {
      const rest = yield* skipJunk(mp3, head);
      if (mp3.junk > mp3.audio + toleratedJunk) return mp3.ended();
      const { bytes } = yield takeBytes(frameHeaderLength - rest.length);
      head = Buffer.concat([rest, bytes]);
      continue;
    }
    ({ bytes: head } = yield takeBytes(frameHeaderLength));
  }
  const [sync = 0, kind = 0xff] = head;
  if (sync === 0xff && kind >= 0xe0) {
    return mp3.fault('truncated', 'the MP3 file ends inside the header of a frame');
  }
  mp3.junk += head.length;
  return mp3.ended();
}

/** Skips bytes from `head` on until a frame or tag may start; returns its first bytes. */
function* skipJunk(mp3: Mp3Progress, head: Buffer): ScanStep<Buffer> {
  const at = head.findIndex(
    (first, place) => place > 0 && mayStartFrameOrTag(first, head[place + 1] ?? Number.NaN),
  );
  mp3.junk += at === -1 ? head.length : at;
  if (at !== -1) return head.subarray(at);
  const { bytes, count } = yield skipUntil(
    Math.max(0, mp3.audio + toleratedJunk + 1 - mp3.junk),
    mayStartFrameOrTag,
  );
  // The first of the two bytes may be the last of `head`.
  mp3.junk += count - bytes.length;
  return bytes;
}

/** Skips a frame after its header and returns whether it is complete. `head` is its header if it may be an encoder's tag. */
function* skipFrame(mp3: Mp3Progress, frame: Mp3Frame, head: Buffer | null): ScanStep<boolean> {
  let left = frame.length - frameHeaderLength;
  let declared: number | null = null;
  if (head !== null) {
    const { bytes, count } = yield takeBytes(Math.min(tagWindow - frameHeaderLength, left - 1));
    left -= count;
    declared = declaredFrames(Buffer.concat([head, bytes]), frame.sideInfo);
  }
  const { count } = yield skipBytes(left, declared === null);
  if (count < left) return false;
  if (declared === null) {
    mp3.add(frame);
  } else {
    mp3.tags += 1;
    mp3.declared += declared;
  }
  return true;
}

/** An ID3v2 tag after its first four bytes: its length is in four bytes of seven bits. */
function* skipId3(): ScanStep<boolean> {
  const { bytes, count } = yield takeBytes(6);
  if (count < 6) return false;
  const [, flags = 0, ...size] = bytes;
  const length = size.reduce((sum, septet) => sum * 128 + (septet & 0x7f), 0);
  const footer = (flags & 0x10) === 0 ? 0 : 10;
  const passed = yield skipBytes(length + footer);
  return passed.count === length + footer;
}

/** An APE tag after its first four bytes. Its footer repeats its header, and nothing follows it. */
function* skipApe(): ScanStep<void> {
  const { bytes, count } = yield takeBytes(28);
  if (count < 28) return;
  const isHeader = (bytes.readUInt32LE(16) & 0x2000_0000) !== 0;
  if (isHeader) yield skipBytes(bytes.readUInt32LE(8));
}
