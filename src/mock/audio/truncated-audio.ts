import { readUint, readText } from './read-bytes.ts';
import { ebmlLength, isEbml } from './webm-duration.ts';

/** RIFF declares its length; writers to a pipe declare 0 or 0xffffffff. */
const riffEndsEarly = (file: Uint8Array): boolean => {
  const declaredSize = readUint(file.subarray(4, 8).toReversed(), 0, 4);
  return declaredSize !== 0 && declaredSize !== 0xffffffff && declaredSize + 8 > file.length;
};

/** The last Ogg page (RFC 3533, section 6) is incomplete or not marked as the last. */
const oggEndsEarly = (file: Uint8Array): boolean => {
  let position = 0;
  let flags = 0;
  while (readText(file, position, 4) === 'OggS') {
    const segments = readUint(file, position + 26, 1);
    const lengths = file.subarray(position + 27, position + 27 + segments);
    flags = readUint(file, position + 5, 1);
    position += 27 + segments + lengths.reduce((sum, length) => sum + length, 0);
  }
  return position > file.length || (flags & 4) === 0;
};

/** The last box of an MP4 file (ISO 14496-12, section 4.2) ends after it. */
const boxesEndEarly = (file: Uint8Array): boolean => {
  let position = 0;
  while (position < file.length) {
    const short = readUint(file, position, 4);
    if (short === 0) return false;
    const size = short === 1 ? readUint(file, position + 8, 8) : short;
    if (size < 8) return false;
    position += size;
  }
  return position > file.length;
};

/** WebM is an EBML head and a segment, whose length may be unknown. */
const webmEndsEarly = (file: Uint8Array): boolean => {
  const idBytes = 4;
  const head = ebmlLength(file, idBytes);
  const segment = idBytes + head.bytes + (head.value ?? 0);
  const length = ebmlLength(file, segment + idBytes);
  const end = segment + idBytes + length.bytes + (length.value ?? 0);
  return end > file.length;
};

/** Fields of the header of a layer III frame (ISO 11172-3 and 13818-3, section 2.4.2.3). */
interface Mp3Frame {
  /** The length of the frame, header included. */
  readonly bytes: number;
  /** Offset of an Info or Xing tag in the frame: after header and side information. */
  readonly tag: number;
}

/** In kbit/s; index 0 means that it is not declared. */
const bitRates = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const sampleRates = [44_100, 48_000, 32_000] as const;
/** By the header's version bits: 2.5, reserved, 2, 1. */
const rateDivisors = [4, 0, 2, 1] as const;

const layer3 = 1;
const singleChannel = 3;

/** The frame at an offset, or `null` if there is none of layer III with a known bit rate. */
const frameAt = (file: Uint8Array, from: number): Mp3Frame | null => {
  const header = readUint(file, from, 4);
  const bits = (shift: number, count: number): number => (header >>> shift) & (2 ** count - 1);
  if (bits(21, 11) !== 0x7ff || bits(17, 2) !== layer3) return null;
  const divisor = rateDivisors[bits(19, 2)] ?? 0;
  const isMpeg1 = divisor === 1;
  const kilobits = bitRates[isMpeg1 ? 'mpeg1' : 'mpeg2'][bits(12, 4)] ?? 0;
  const rate = sampleRates[bits(10, 2)];
  if (divisor === 0 || kilobits === 0 || rate === undefined) return null;
  const frameBytes = ((isMpeg1 ? 144 : 72) * kilobits * 1000 * divisor) / rate;
  const [mono, stereo] = isMpeg1 ? [17, 32] : [9, 17];
  const sideInformation = bits(6, 2) === singleChannel ? mono : stereo;
  return { bytes: Math.floor(frameBytes) + bits(9, 1), tag: 4 + sideInformation };
};

/** The length of all frames as the Info or Xing tag of the first one declares it; `null` without. */
const declaredBytes = (file: Uint8Array, from: number, { tag }: Mp3Frame): number | null => {
  const at = from + tag;
  if (!['Info', 'Xing'].includes(readText(file, at, 4))) return null;
  const flags = readUint(file, at + 4, 4);
  const hasFrameCount = (flags & 1) !== 0;
  const hasByteCount = (flags & 2) !== 0;
  return hasByteCount ? readUint(file, at + (hasFrameCount ? 12 : 8), 4) : null;
};

/** The offset after an ID3v2 tag at the beginning, whose length has seven bits in each byte. */
const afterId3 = (file: Uint8Array): number => {
  if (readText(file, 0, 3) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
};

/** Whether an MP3 file ends within a frame, or is shorter than its first frame declares. */
const mp3EndsEarly = (file: Uint8Array): boolean => {
  const begin = afterId3(file);
  const first = frameAt(file, begin);
  if (first === null) return begin > file.length;
  let end = begin;
  for (let frame: Mp3Frame | null = first; frame !== null; frame = frameAt(file, end)) {
    end += frame.bytes;
  }
  return Math.max(end, begin + (declaredBytes(file, begin, first) ?? 0)) > file.length;
};

/** How to recognise each container, and whether a file of it ends early. */
const containers: readonly {
  readonly matches: (file: Uint8Array) => boolean;
  readonly endsEarly: (file: Uint8Array) => boolean;
}[] = [
  { matches: (file) => readText(file, 0, 4) === 'RIFF', endsEarly: riffEndsEarly },
  { matches: (file) => readText(file, 0, 4) === 'OggS', endsEarly: oggEndsEarly },
  { matches: (file) => readText(file, 4, 4) === 'ftyp', endsEarly: boxesEndEarly },
  { matches: isEbml, endsEarly: webmEndsEarly },
  {
    matches: (file) => readText(file, 0, 3) === 'ID3' || readUint(file, 0, 2) >= 0xffe0,
    endsEarly: mp3EndsEarly,
  },
];

/**
 * Whether an audio file ends before the length that its container declares. Decoders read many such files as
 * shorter ones, hence this check. A file that declares no length is never truncated.
 */
export const isTruncatedAudio = (file: Uint8Array): boolean =>
  containers.find(({ matches }) => matches(file))?.endsEarly(file) ?? false;
