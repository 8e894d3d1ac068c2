import {
  declaredFrames,
  type Mp3Frame,
  frameHeaderLength,
  readMp3Frame,
  tagWindow,
} from './mp3-frame.ts';
import {
  type ContainerScan,
  type ScanFault,
  takeBytes,
  skipBytes,
  skipUntil,
  type ScanResult,
  type ScanStep,
} from './scanner.ts';

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

  scan(kind: ScanFault['kind'], detail: string): ScanResult {
    return { seconds: this.seconds, fault: { kind, detail }, notes: [] };
  }

  ended(): ScanResult {
    const { audio, declared, frames, junk, tags } = this;
    if (junk > audio)
      return this.scan('container', `only ${audio} bytes of the MP3 file are frames`);
    if (frames === 0) return this.scan('silent', 'the MP3 file has no frame of audio');
    // Encoders differ in whether they count the tag's own frame.
    if (frames + tags < declared) {
      const detail = `the MP3 file declares ${declared} frames and ends after ${frames}`;
      return this.scan('truncated', detail);
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
      if (!isWhole) return mp3.scan('truncated', 'the MP3 file ends inside a frame');
      mayBeTag = false;
    } else if (name.startsWith('ID3')) {
      const isWhole = yield* skipId3();
      if (!isWhole) return mp3.scan('truncated', 'the MP3 file ends inside its ID3 tag');
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
    return mp3.scan('truncated', 'the MP3 file ends inside the header of a frame');
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
