import * as fc from 'fast-check';
import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { silentAudio } from './silent-audio.ts';

const durationBy = async (format: keyof typeof silentAudio, seconds: number) => {
  const file = Buffer.concat([...silentAudio[format](seconds)]);
  return (await parseBuffer(file, undefined, { duration: true })).format.duration;
};

const lengths = [0.25, 0.26, 1, 2.5, 6.68, 60, 61.7, 601.013];

describe('silence', () => {
  it.each(lengths)(
    'of %d s is exact in WAV and Opus, and to a frame of 24 ms in MP3',
    async (seconds) => {
      expect(await durationBy('wav', seconds)).toBeCloseTo(seconds, 4);
      expect(await durationBy('opus', seconds)).toBeCloseTo(seconds, 4);
      expect(await durationBy('mp3', seconds)).toBeCloseTo(0.024 * Math.round(seconds / 0.024), 9);
    },
  );

  it('declares the length of the file in the header of a WAV', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.25, max: 5, noNaN: true }), (seconds) => {
        const file = Buffer.concat([...silentAudio.wav(seconds)]);
        expect(file.readUInt32LE(4)).toBe(file.length - 8);
        expect(file.readUInt32LE(40)).toBe(file.length - 44);
      }),
      { numRuns: 20 },
    );
  });

  it('is in MP3 an Info frame with the counts of frames and bytes, then equal frames', () => {
    const file = Buffer.concat([...silentAudio.mp3(1)]);
    const frames = Array.from({ length: file.length / 192 }, (_, n) =>
      file.subarray(n * 192, (n + 1) * 192).toString('hex'),
    );
    expect(frames).toHaveLength(43);
    expect(new Set(frames.slice(1)).size).toBe(1);
    expect(file.toString('latin1', 13, 17)).toBe('Info');
    expect([file.readUInt32BE(21), file.readUInt32BE(25)]).toEqual([42, file.length]);
  });
});

/** CRC-32 of an Ogg page bit by bit, as RFC 3533 puts it: long division of the whole page, its own field as zero. */
const slowChecksum = (page: Buffer): number => {
  const bits = [...page.fill(0, 22, 26)].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1),
  );
  let remainder = 0n;
  for (const bit of [...bits, ...Array.from({ length: 32 }, () => 0)]) {
    remainder = (remainder << 1n) | BigInt(bit);
    if (remainder >> 32n === 1n) remainder ^= 0x104c11db7n;
  }
  return Number(remainder);
};

describe('an Ogg Opus file', () => {
  const pagesOf = (seconds: number) =>
    [...silentAudio.opus(seconds)].map((bytes) => {
      const page = Buffer.from(bytes);
      const checksum = page.readUInt32LE(22);
      return {
        flags: page.readUInt8(5),
        granule: Number(page.readBigUInt64LE(6)),
        sequence: page.readUInt32LE(18),
        packets: page.readUInt8(26),
        isIntact: slowChecksum(page) === checksum,
      };
    });

  it('has a head, comments, and pages of fifty packets; the last is marked and ends at the exact sample', () => {
    expect(pagesOf(2.01)).toEqual([
      { flags: 2, granule: 0, sequence: 0, packets: 1, isIntact: true },
      { flags: 0, granule: 0, sequence: 1, packets: 1, isIntact: true },
      { flags: 0, granule: 48_000, sequence: 2, packets: 50, isIntact: true },
      { flags: 0, granule: 96_000, sequence: 3, packets: 50, isIntact: true },
      { flags: 4, granule: 96_600, sequence: 4, packets: 1, isIntact: true },
    ]);
  });

  it('has exactly as many packets as its samples need', () => {
    const packetsIn = (seconds: number) =>
      pagesOf(seconds)
        .slice(2)
        .reduce((sum, { packets }) => sum + packets, 0);
    const whole = (960 * 50 - 120) / 48_000;
    expect([whole, whole + 1 / 48_000].map(packetsIn)).toEqual([50, 51]);
    expect(pagesOf(whole).map(({ flags }) => flags)).toEqual([2, 0, 4]);
  });
});
