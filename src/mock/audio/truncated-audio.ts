import { mp3EndsEarly } from './mp3-frames.ts';
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
