/**
 * This file reads audio files. The client uses this file to measure clips, and the reference gateway to check uploads.
 */

/** The sample rates of MPEG 1 in Hz. The rates of MPEG 2 are half of these rates, and those of MPEG 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000];

const mpeg1 = {
  divisor: 1,
  samples: 1152,
  sideInfo: { mono: 17, stereo: 32 },
  /**
   * The bit rates of layer III in units of 1,000 bits per second. Index 0 (the free format) is not supported, and index
   * 15 is not allowed.
   */
  bitRates: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const mpeg2 = {
  divisor: 2,
  samples: 576,
  sideInfo: { mono: 9, stereo: 17 },
  bitRates: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
/** The versions of MPEG, indexed by the two version bits of a header. MPEG 2.5 is an extension by Fraunhofer. */
const versions = [{ ...mpeg2, divisor: 4 }, null, mpeg2, mpeg1];

export const mp3HeaderLength = 4;

/**
 * Reads the header of a layer III frame (ISO 11172-3 2.4.1.3, ISO 13818-3 2.4.1.3); returns `null` if the bytes are not
 * such a header.
 */
export const readMp3Frame = (bytes: Uint8Array) => {
  if (bytes.length < mp3HeaderLength || bytes[0] !== 0xff) return null;
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
    /** The length of the frame in bytes, including the header. */
    length: Math.floor((samples * 125 * bitRate) / sampleRate) + padding,
    samples,
    sampleRate,
    /** The number of bytes between the frame's header and its audio. */
    sideInfo: mode >> 6 === 3 ? sideInfo.mono : sideInfo.stereo,
  };
};

export type Mp3Frame = NonNullable<ReturnType<typeof readMp3Frame>>;

/**
 * The minimum number of bytes of a round length that means "unknown". A smaller round length may be real: this many
 * bytes are 17 minutes of speech at 24 kHz with 16 bits, and speaking the longest text takes less time.
 */
const minPlaceholder = 50_000_000 - 128;
/**
 * A length counts as round if it is at most this many bytes below a round number. Some writers subtract the length of
 * the header from a round number (44 bytes, or 58 or 80 bytes with more chunks). Other writers subtract 1, which gives
 * a number such as 2^32 − 1.
 */
const maxBelowRound = 128;

/**
 * Returns whether a length is a decimal or binary round number, or slightly below a round number. A round length is a
 * placeholder, because a counted length is hardly ever round.
 */
const isRound = (length: number): boolean =>
  [1_000_000, 0x1_0000].some((unit) => (unit - (length % unit)) % unit <= maxBelowRound);

/**
 * Returns whether the declared length of a WAV file's audio means "unknown". A program that streams does not know the
 * length in advance. Such a program writes 0, the largest number that fits into the field, another large round number,
 * or the length of a whole number of minutes, such as an hour. Truncated files are still detected, because a counted
 * length is hardly ever round. `bytesPerSecond` is 0 if unknown.
 */
export const isUnknownLength = (declared: number, bytesPerSecond: number): boolean =>
  declared === 0 ||
  (declared >= 0x7fff_0000 && declared <= 0xffff_ffff) ||
  declared >= 2 ** 62 ||
  (declared >= minPlaceholder && (isRound(declared) || declared % (60 * bytesPerSecond) === 0));

/** Reads an unsigned big-endian number. Bytes after the end of the file count as zero. */
export const readUint = (file: Uint8Array, from: number, bytes: number): number => {
  let value = 0;
  for (let i = from; i < from + bytes; i += 1) value = value * 256 + (file[i] ?? 0);
  return value;
};

/** Returns whether a file is of the MP4 family (ISO 14496-12, section 4.3). */
export const isMp4 = (file: Uint8Array): boolean => readUint(file, 4, 4) === 0x66747970;

/**
 * The types of top-level boxes in MP4 files. Bytes with any other type are no box but trailing data, such as an ID3
 * tag.
 */
const topBoxes =
  /^(?:ftyp|styp|moov|moof|mdat|mfra|free|skip|wide|uuid|meta|udta|sidx|ssix|pdin|emsg|prft)$/;

/** Returns whether the last box of an MP4 file (ISO 14496-12, section 4.2) reaches beyond the file. */
export const mp4EndsEarly = (file: Uint8Array): boolean => {
  let position = 0;
  while (position + 8 <= file.length) {
    const short = readUint(file, position, 4);
    const type = String.fromCharCode(...file.subarray(position + 4, position + 8));
    if (short === 0 || !topBoxes.test(type)) return false;
    const size = short === 1 ? readUint(file, position + 8, 8) : short;
    if (size < 8) return false;
    position += size;
  }
  return position > file.length;
};

/** Returns whether a file is of the WebM family (RFC 8794, section 11.2.1). */
export const isEbml = (file: Uint8Array): boolean => readUint(file, 0, 4) === 0x1a45dfa3;

/**
 * Reads an EBML length (RFC 8794, section 4) and the size of its field in bytes. The length is `null` if the file
 * declares the length as unknown. The size is 9 if the field is invalid.
 */
export const ebmlLength = (file: Uint8Array, from: number) => {
  const first = readUint(file, from, 1);
  const bytes = Math.clz32(first) - 23;
  const marker = 0x100 >> bytes;
  const value = (first & (marker - 1)) * 256 ** (bytes - 1) + readUint(file, from + 1, bytes - 1);
  return { bytes, value: value >= 2 ** (7 * bytes) - 1 ? null : value };
};

/** The elements that contain other elements (RFC 9559, section 5.1): segment, info, cluster and block group. */
const containerElements: readonly number[] = [0x18538067, 0x1549a966, 0x1f43b675, 0xa0];
const timestampScale = 0x2ad7b1;
const clusterTimestamp = 0xe7;
const blocks: readonly number[] = [0xa3, 0xa1];

/**
 * Generates the complete elements of a file, including nested ones. With `isStrict`, stops at the first invalid header.
 */
function* ebmlElements(file: Uint8Array, isStrict: boolean) {
  let position = 0;
  while (position < file.length) {
    // The first byte of an id tells how many bytes the id has, encoded in the same way as in a length.
    const idBytes = ebmlLength(file, position).bytes;
    const id = readUint(file, position, idBytes);
    const length = ebmlLength(file, position + idBytes);
    const from = position + idBytes + length.bytes;
    const isInvalid = idBytes > 4 || length.bytes > 8 || from > file.length;
    if (isInvalid && isStrict) return;
    const isOuter = containerElements.includes(id);
    const end = from + (length.value ?? Number.POSITIVE_INFINITY);
    if (!isOuter && end > file.length) return;
    yield { id, from, bytes: end - from };
    position = isOuter ? from : end;
  }
}

/**
 * Generates the start time (`time`) of each complete block of a WebM file. One unit of `time` is `unit` nanoseconds.
 */
export function* webmBlocks(file: Uint8Array, isStrict: boolean) {
  let unit = 1_000_000;
  let cluster = 0;
  for (const { id, from, bytes } of ebmlElements(file, isStrict)) {
    if (id === timestampScale) unit = readUint(file, from, Math.min(8, bytes));
    if (id === clusterTimestamp) cluster = readUint(file, from, Math.min(8, bytes));
    if (!blocks.includes(id)) continue;
    // In a block, a signed time relative to the cluster's time follows the track number.
    const { bytes: track } = ebmlLength(file, from);
    const offset = readUint(file, from + track, 2);
    const time = cluster + (offset < 0x8000 ? offset : offset - 0x10000);
    if (track + 2 <= bytes) yield { time, unit };
  }
}
