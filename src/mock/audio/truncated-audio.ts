import {
  ebmlLength,
  isEbml,
  type Mp3Frame,
  mp3HeaderLength,
  readMp3Frame,
  readUint,
} from '../../contract/containers.ts';

/** The text of one-byte characters at an offset; shorter at the end of the file. */
const readText = (file: Uint8Array, from: number, bytes: number): string =>
  String.fromCharCode(...file.subarray(from, from + bytes));

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

/** The MP3 frame at an offset, or `null`; bytes after the end of the file count as zero. */
const frameAt = (file: Uint8Array, from: number): Mp3Frame | null => {
  const header = Buffer.alloc(mp3HeaderLength);
  header.set(file.subarray(from, from + mp3HeaderLength));
  return readMp3Frame(header);
};

/** The length of all frames as the Info or Xing tag of the first one declares it; `null` without. */
const declaredBytes = (file: Uint8Array, from: number, { sideInfo }: Mp3Frame): number | null => {
  const at = from + mp3HeaderLength + sideInfo;
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
    end += frame.length;
  }
  return Math.max(end, begin + (declaredBytes(file, begin, first) ?? 0)) > file.length;
};

type Test = (file: Uint8Array) => boolean;

/** How to recognise each container, and whether a file of it ends early. */
const containers: readonly (readonly [matches: Test, endsEarly: Test])[] = [
  [(file) => readText(file, 0, 4) === 'RIFF', riffEndsEarly],
  [(file) => readText(file, 0, 4) === 'OggS', oggEndsEarly],
  [(file) => readText(file, 4, 4) === 'ftyp', boxesEndEarly],
  [isEbml, webmEndsEarly],
  [(file) => readText(file, 0, 3) === 'ID3' || readUint(file, 0, 2) >= 0xffe0, mp3EndsEarly],
];

/**
 * Whether an audio file ends before the length that its container declares. Decoders read many such files as
 * shorter ones, hence this check. A file that declares no length is never truncated.
 */
export const isTruncatedAudio = (file: Uint8Array): boolean => {
  const [, endsEarly] = containers.find(([matches]) => matches(file)) ?? [];
  return endsEarly?.(file) ?? false;
};
