import { describe, expect, it } from 'vitest';
import {
  ebmlLength,
  isEbml,
  isMp4,
  isUnknownLength,
  mp4EndsEarly,
  readMp3Frame,
  readUint,
  webmBlocks,
} from './containers.ts';

const lengthsOf = (version: number): readonly (number | undefined)[] =>
  Array.from({ length: 16 }, (_, rate) => {
    // Layer III, without a checksum; 44.1 kHz in MPEG 1, 22.05 kHz in MPEG 2; stereo.
    const header = Uint8Array.of(0xff, 0xe3 | (version << 3), rate << 4, 0);
    return readMp3Frame(header)?.length;
  });

it('frames of MP3 are as long as other programs say, for each bit rate', () => {
  // From LAME's and mpg123's tables of frame sizes, without padding.
  const mpeg1 = [104, 130, 156, 182, 208, 261, 313, 365, 417, 522, 626, 731, 835, 1044];
  expect(lengthsOf(3)).toEqual([undefined, ...mpeg1, undefined]);
  const mpeg2 = [26, 52, 78, 104, 130, 156, 182, 208, 261, 313, 365, 417, 470, 522];
  expect(lengthsOf(2)).toEqual([undefined, ...mpeg2, undefined]);
});

describe('the header of an MP3 frame', () => {
  const read = (kind: number, rates: number, mode = 0, first = 0xff) =>
    readMp3Frame(Uint8Array.of(first, kind, rates, mode));

  it('has the rate of its version, one byte more with padding, and less beside the audio in mono', () => {
    const rates = [0xfb, 0xf3, 0xe3].map((kind) =>
      [0x50, 0x54, 0x58].map((rate) => read(kind, rate)?.sampleRate),
    );
    expect(rates).toEqual([
      [44_100, 48_000, 32_000],
      [22_050, 24_000, 16_000],
      [11_025, 12_000, 8000],
    ]);
    expect(read(0xfb, 0x52)!.length - read(0xfb, 0x50)!.length).toBe(1);
    expect([read(0xfb, 0x50)!.samples, read(0xf3, 0x50)!.samples]).toEqual([1152, 576]);
    const beside = [0xfb, 0xf3].map((kind) =>
      [0x00, 0x40, 0x80, 0xc0].map((mode) => read(kind, 0x50, mode)?.sideInfo),
    );
    expect(beside).toEqual([
      [32, 32, 32, 17],
      [17, 17, 17, 9],
    ]);
  });

  it.each([
    ['another layer', 0xfd, 0x50, 0],
    ['no sync', 0xdb, 0x50, 0],
    ['a reserved version', 0xeb, 0x50, 0],
    ['a reserved rate', 0xfb, 0x5c, 0],
    ['a free bit rate', 0xfb, 0x00, 0],
    ['a forbidden bit rate', 0xfb, 0xf0, 0],
    ['a reserved emphasis', 0xfb, 0x50, 2],
  ])('with %s is none', (_, kind, rates, mode) => {
    expect(read(kind, rates, mode)).toBeNull();
  });

  it('needs its first byte and all four', () => {
    expect(read(0xfb, 0x50, 0, 0xfe)).toBeNull();
    expect(readMp3Frame(Uint8Array.of(0xff, 0xfb, 0x50))).toBeNull();
    expect(read(0xfb, 0x50, 1)).not.toBeNull();
  });
});

describe('a length that was not known in advance', () => {
  it.each([
    [0, true],
    [1000, false],
    [0x7fff_0000, true],
    [0x7ffe_ffff - 1000, false],
    [0xffff_ffff, true],
    [2 ** 62, true],
    // A length that no file can have, although it is not round.
    [2 ** 62 + 2 ** 20 + 2 ** 10, true],
    [2 ** 40 + 12_345, false],
    [100_000_000, true],
    [100_000_000 - 44, true],
    [100_000_000 - 128, true],
    [100_000_000 - 129, false],
    [100_000_001, false],
    [2 ** 26, true],
    [2 ** 26 - 80, true],
    // Round, but so short that a speech may have it.
    [49_000_000, false],
    [50_000_000 - 128, true],
    [48_000 * 3600, true],
    [48_000 * 3600 + 2, false],
  ])('%i at 48,000 bytes a second: %s', (declared, isUnknown) => {
    expect(isUnknownLength(declared, 48_000)).toBe(isUnknown);
  });

  it('is no whole minute of an unknown format', () => {
    expect(isUnknownLength(60 * 48_001 * 20, 48_001)).toBe(true);
    expect(isUnknownLength(60 * 48_001 * 20, 0)).toBe(false);
  });
});

const box = (type: string, size: number, bytes: number): Buffer => {
  const head = Buffer.alloc(Math.max(8, bytes));
  head.writeUInt32BE(size, 0);
  head.write(type, 4, 'latin1');
  return head;
};

describe('an MP4 file', () => {
  it('is known by its second word', () => {
    expect([
      isMp4(box('ftyp', 16, 16)),
      isMp4(box('free', 16, 16)),
      isMp4(Buffer.alloc(3)),
    ]).toEqual([true, false, false]);
  });

  it('ends early if its last box reaches beyond it', () => {
    const ends = (...boxes: readonly Buffer[]): boolean => mp4EndsEarly(Buffer.concat(boxes));
    const type = box('ftyp', 16, 16);
    expect(ends(type, box('mdat', 20, 20))).toBe(false);
    expect(ends(type, box('mdat', 21, 20))).toBe(true);
    // A box of size 0 reaches to the end, and what is no box is left alone.
    expect(ends(type, box('mdat', 0, 20))).toBe(false);
    expect(ends(type, box('TAGx', 900, 20))).toBe(false);
    expect(ends(type, box('mdat', 7, 20))).toBe(false);
    expect(ends(type, Buffer.alloc(5))).toBe(false);
    const long = (size: number): Buffer => {
      const large = box('mdat', 1, 32);
      large.writeUInt32BE(size, 12);
      return large;
    };
    expect([ends(type, long(32)), ends(type, long(33))]).toEqual([false, true]);
  });
});

describe('a WebM file', () => {
  const element = (id: readonly number[], content: readonly number[]): readonly number[] => [
    ...id,
    0x80 | content.length,
    ...content,
  ];
  const block = (time: number, id = 0xa3): readonly number[] =>
    element([id], [0x81, (time >> 8) & 0xff, time & 0xff, 0]);
  const cluster = (time: number, ...inside: readonly (readonly number[])[]): readonly number[] => [
    0x1f,
    0x43,
    0xb6,
    0x75,
    0xff,
    ...element([0xe7], [time]),
    ...inside.flat(),
  ];
  const timesOf = (bytes: readonly number[], isStrict = true) =>
    [...webmBlocks(Uint8Array.from(bytes), isStrict)].map(({ time }) => time);

  it('is known by its first word, and has numbers of several bytes', () => {
    expect([isEbml(Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3)), isEbml(Uint8Array.of(0x1a))]).toEqual([
      true,
      false,
    ]);
    expect(readUint(Uint8Array.of(1, 2, 3), 1, 2)).toBe(0x203);
    expect(readUint(Uint8Array.of(1), 0, 3)).toBe(0x10000);
    const length = (...bytes: readonly number[]) => ebmlLength(Uint8Array.from(bytes), 0);
    expect(length(0x85)).toEqual({ bytes: 1, value: 5 });
    expect(length(0xfe)).toEqual({ bytes: 1, value: 126 });
    expect(length(0xff)).toEqual({ bytes: 1, value: null });
    expect(length(0x41, 0x00)).toEqual({ bytes: 2, value: 256 });
    expect(length(0x7f, 0xff)).toEqual({ bytes: 2, value: null });
    expect(length(0x01, 0, 0, 0, 0, 0, 1, 0)).toEqual({ bytes: 8, value: 256 });
    expect(length(0x00).bytes).toBe(9);
  });

  it('has blocks at the time of their cluster and their own, which is signed', () => {
    const file = [
      ...cluster(100, block(0), block(20), block(0x10000 - 5)),
      ...cluster(200, element([0xa0], block(7, 0xa1)), element([0xec], [1, 2])),
    ];
    expect(timesOf(file)).toEqual([100, 120, 95, 207]);
    // The last block is not complete.
    expect(timesOf([...cluster(100, block(0)), 0xa3, 0x84, 0x81, 0])).toEqual([100]);
    // A block too short for its own time is none.
    expect(timesOf([...cluster(100, element([0xa3], [0x81, 0]), block(9))])).toEqual([109]);
  });

  it('has times in milliseconds, or in the unit that it names', () => {
    const unitOf = (...before: readonly number[]) =>
      [...webmBlocks(Uint8Array.from([...before, ...cluster(1, block(0))]), true)][0]?.unit;
    expect(unitOf()).toBe(1_000_000);
    expect(unitOf(...element([0x2a, 0xd7, 0xb1], [0x03, 0xe8]))).toBe(1000);
  });

  it('is read up to an invalid header by a strict reader, and beyond it by another', () => {
    // An id of five bytes, as long as it says.
    const invalid = [0x08, 1, 2, 3, 4, 0x80];
    const file = [...cluster(100, block(0)), ...invalid, ...block(20)];
    expect(timesOf(file)).toEqual([100]);
    expect(timesOf(file, false)).toEqual([100, 120]);
  });
});
