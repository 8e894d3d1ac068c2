import { type Mp3Frame, mp3HeaderLength, readMp3Frame } from '../../contract/containers.ts';
import { type FoundAudio, ScanFault, type ScanStep, wholeBytes } from './scanner.ts';

/** The tag of an encoder is searched only in this many bytes at the start of a frame. */
const tagWindow = 54;

/**
 * Returns the number of frames that a tag in the first frame declares. A frame with a tag contains no audio. The tag of
 * Xing or LAME comes after the side information. Fraunhofer's tag, VBRI, is always at byte 36. Returns 0 if the tag
 * declares no number, and `null` if the frame has no tag.
 */
const declaredFrames = (frame: Buffer, sideInfo: number): number | null => {
  const at = (place: number): string => frame.toString('latin1', place, place + 4);
  if (at(36) === 'VBRI') return frame.length < 54 ? 0 : frame.readUInt32BE(50);
  // In frames with a checksum, some encoders write the tag two bytes later.
  for (const place of [mp3HeaderLength + sideInfo, mp3HeaderLength + 2 + sideInfo]) {
    if (at(place) !== 'Xing' && at(place) !== 'Info') continue;
    const hasFrameCount = frame.length >= place + 12 && (frame.readUInt32BE(place + 4) & 1) === 1;
    const count = hasFrameCount ? frame.readUInt32BE(place + 8) : 0;
    // An encoder that writes to a pipe cannot go back to fill in the count, and may leave the largest number there.
    return count >= unknownCount ? 0 : count;
  }
  return null;
};

/**
 * The smallest declared number of frames that means "unknown". A file with this number of frames would play for a year.
 */
const unknownCount = 0x7fff_0000;

const id3v1Length = 128;

/**
 * The number of unknown bytes that any MP3 file may contain. A file with more unknown bytes is valid only if its frames
 * have even more bytes.
 */
const toleratedJunk = 4096;

/** Maps the first byte of a tag's name to the second byte of the name. Any other first byte is mapped to −1. */
const secondByteOf = new Int16Array(256).fill(-1);
for (const [first, second] of ['ID', 'TA', 'AP']) {
  secondByteOf[first!.charCodeAt(0)] = second!.charCodeAt(0);
}

/** Returns whether two bytes may be the start of a layer III frame or of a tag. */
const mayStartFrameOrTag = (first: number, second: number): boolean =>
  first === 0xff ? (second & 0xe6) === 0xe2 : secondByteOf[first] === second;

/**
 * The received part of an MP3 file. `audio` counts the bytes in frames of audio, and `junk` the bytes outside of frames
 * and tags.
 */
interface Mp3Progress {
  audio: number;
  junk: number;
  frames: number;
  /** The number of frames that the tags of encoders declare. */
  declared: number;
  tags: number;
}

const nothing: Buffer = Buffer.alloc(0);

const cutAt = (place: string): string => `the MP3 file ends inside ${place}`;

/**
 * Scans an MP3 file, which is a sequence of frames and tags (ID3, APE). The duration of the file is the duration of all
 * its frames. A truncated file ends within a frame, or has fewer frames than its encoder declared.
 */
export function* scanMp3(found: FoundAudio): ScanStep<void> {
  const mp3: Mp3Progress = { audio: 0, junk: 0, frames: 0, declared: 0, tags: 0 };
  /**
   * Whether the next frame may be the tag of an encoder. Encoders write their tag as the first frame, or as the first
   * frame after an ID3 tag. Players treat a tag in a later frame as audio.
   */
  let mayBeTag = true;
  let rest = nothing;
  for (;;) {
    const { bytes } = yield { count: mp3HeaderLength - rest.length, keep: true };
    const head = Buffer.concat([rest, bytes]);
    rest = nothing;
    if (head.length < mp3HeaderLength) {
      if (head[0] === 0xff && (head[1] ?? 0xff) >= 0xe0)
        throw new ScanFault('truncated', cutAt('the header of a frame'));
      mp3.junk += head.length;
      return judgeEnd(mp3, found);
    }
    const frame = readMp3Frame(head);
    const name = head.toString('latin1');
    if (frame !== null) {
      yield* skipFrame(mp3, found, frame, mayBeTag ? head : null);
      mayBeTag = false;
    } else if (name.startsWith('ID3')) {
      yield* skipId3();
      mayBeTag = true;
    } else if (name.startsWith('TAG')) {
      yield { count: id3v1Length - mp3HeaderLength };
    } else if (name === 'APET') {
      yield* skipApe();
    } else {
      rest = yield* skipJunk(mp3, head);
      if (mp3.junk > mp3.audio + toleratedJunk) return judgeEnd(mp3, found);
    }
  }
}

/**
 * Checks a file that ends between two frames. Throws a `ScanFault` if the file is not MP3, has no audio or is
 * truncated.
 */
const judgeEnd = (
  { audio, junk, frames, declared, tags }: Mp3Progress,
  found: FoundAudio,
): void => {
  if (junk > audio)
    throw new ScanFault('container', `only ${audio} bytes of the MP3 file are frames`);
  if (frames === 0) throw new ScanFault('silent', 'the MP3 file has no frame of audio');
  // Some encoders count the frame of the tag among the declared frames, so `tags` is added.
  if (frames + tags < declared) {
    const detail = `the MP3 file declares ${declared} frames and ends after ${frames}`;
    throw new ScanFault('truncated', detail);
  }
  found.hasJunk = junk > 0;
};

/**
 * Skips bytes, beginning with the bytes in `head`, until a frame or a tag may start. Returns the first bytes of the
 * frame or tag.
 */
function* skipJunk(mp3: Mp3Progress, head: Buffer): ScanStep<Buffer> {
  const at = head.findIndex(
    (first, place) => place > 0 && mayStartFrameOrTag(first, head[place + 1] ?? Number.NaN),
  );
  mp3.junk += at === -1 ? head.length : at;
  if (at !== -1) return head.subarray(at);
  const most = Math.max(0, mp3.audio + toleratedJunk + 1 - mp3.junk);
  const { bytes, count } = yield { count: most, until: mayStartFrameOrTag };
  // If the first of the two found bytes was the last byte of `head`, it was already counted as junk. It is subtracted
  // here.
  mp3.junk += count - bytes.length;
  return bytes;
}

/**
 * Skips a frame whose header was read. `head` is this header if the frame may be the tag of an encoder; otherwise
 * `null`.
 */
function* skipFrame(
  mp3: Mp3Progress,
  found: FoundAudio,
  { length, samples, sampleRate, sideInfo }: Mp3Frame,
  head: Buffer | null,
): ScanStep<void> {
  const left = length - mp3HeaderLength;
  const searched = head === null ? 0 : Math.min(tagWindow - mp3HeaderLength, left - 1);
  const begin = yield* wholeBytes({ count: searched, keep: true }, cutAt('a frame'));
  const declared = head && declaredFrames(Buffer.concat([head, begin]), sideInfo);
  yield* wholeBytes({ count: left - searched, audio: declared === null }, cutAt('a frame'));
  if (declared === null) {
    mp3.audio += length;
    mp3.frames += 1;
    found.add(samples, sampleRate);
  } else {
    mp3.tags += 1;
    mp3.declared += declared;
  }
}

/** Skips an ID3v2 tag whose first four bytes were read. The tag's length is stored in four bytes of seven bits each. */
function* skipId3(): ScanStep<void> {
  const [, flags = 0, ...size] = yield* wholeBytes({ count: 6, keep: true }, cutAt('its ID3 tag'));
  const length = size.reduce((sum, septet) => sum * 128 + (septet & 0x7f), 0);
  const footer = (flags & 0x10) === 0 ? 0 : 10;
  yield* wholeBytes({ count: length + footer }, cutAt('its ID3 tag'));
}

/** Skips an APE tag whose first four bytes were read. The tag ends with a footer that repeats the header. */
function* skipApe(): ScanStep<void> {
  const { bytes, count } = yield { count: 28, keep: true };
  if (count < 28) return;
  const isHeader = (bytes.readUInt32LE(16) & 0x2000_0000) !== 0;
  if (isHeader) yield { count: bytes.readUInt32LE(8) };
}
