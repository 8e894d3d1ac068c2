import * as fc from 'fast-check';
import { expect, it, describe } from 'vitest';
import {
  durationOf,
  warmUpAudio,
  clipFiles,
  isTruncatedAudio,
  webmDuration,
} from './audio-probe.ts';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { readFileSync } from 'node:fs';
import { silentAudio } from './speech.ts';

it('there is a readable clip of each container to warm up with', async () => {
  const files = await clipFiles();
  expect(new Set(files.map(({ pathname }) => extname(pathname)))).toEqual(
    new Set(['.mp3', '.m4a', '.wav', '.webm', '.ogg']),
  );
  await warmUpAudio();
  for (const file of files) expect(await durationOf(await readFile(file))).toBeGreaterThan(1);
});

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/speech/${name}`, import.meta.url));

/** Lengths at which a file is cut: its last hundred bytes one by one, then further and further back. */
const lengthsBelow = (length: number): number[] => [
  ...Array.from({ length: 100 }, (_, n) => length - 1 - n),
  ...[0.9, 0.6, 0.3, 0.1].map((share) => Math.floor(length * share)),
];

const silent = (format: keyof typeof silentAudio) => Buffer.concat([...silentAudio[format](3.21)]);

describe('a file of audio', () => {
  it.each([
    ['gate.wav', fixture('gate.wav')],
    ['answer.ogg', fixture('answer.ogg')],
    ['station.mp3', fixture('station.mp3')],
    ['boats.webm', fixture('boats.webm')],
    ['keeper.m4a', fixture('keeper.m4a')],
    ['silence.mp3', silent('mp3')],
    ['silence.wav', silent('wav')],
    ['silence.opus', silent('opus')],
    [
      'id3.mp3',
      Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\u0001\0'), Buffer.alloc(128), silent('mp3')]),
    ],
  ])('is complete as it is, and truncated by any earlier end: %s', (_, file) => {
    expect(isTruncatedAudio(file)).toBe(false);
    const missed = lengthsBelow(file.length).filter(
      (end) => !isTruncatedAudio(file.subarray(0, end)),
    );
    expect(missed).toEqual([]);
  });

  it('in Ogg is truncated even at the end of a page', () => {
    expect(isTruncatedAudio(Buffer.concat([...silentAudio.opus(3.21)].slice(0, -1)))).toBe(true);
  });

  it('without an Info frame is truncated only if it ends within a frame', () => {
    const frames = silent('mp3').subarray(192);
    expect(
      [0, 1, 100, 188, 192, 193].filter((less) =>
        isTruncatedAudio(frames.subarray(0, frames.length - less)),
      ),
    ).toEqual([1, 100, 188, 193]);
  });

  it('that declares no length is never truncated', () => {
    const piped = silent('wav');
    piped.fill(0xff, 4, 8);
    piped.fill(0xff, 40, 44);
    const live = fixture('boats.webm');
    const segment = live.indexOf(Buffer.from('18538067', 'hex')) + 4;
    live.set([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], segment);
    for (const file of [piped, live]) expect(isTruncatedAudio(file.subarray(0, -500))).toBe(false);
    expect(isTruncatedAudio(Buffer.from('not audio'))).toBe(false);
    expect(isTruncatedAudio(Buffer.alloc(0))).toBe(false);
  });

  it('with a tag or other bytes after its last frame is not truncated', () => {
    expect(isTruncatedAudio(Buffer.concat([silent('mp3'), Buffer.from('TAG'.padEnd(128))]))).toBe(
      false,
    );
    expect(isTruncatedAudio(Buffer.concat([silent('opus'), Buffer.alloc(7)]))).toBe(false);
  });
});

it.each([0, 0xffff_ffff, 0x7fff_ffff, 2_000_000_000, 2_000_000_000 - 44])(
  'a WAV from a pipe that declares %i bytes of audio is measured by its bytes',
  async (declared) => {
    const piped = silent('wav');
    piped.writeUInt32LE(declared, 40);
    expect(isTruncatedAudio(piped)).toBe(false);
    expect(await durationOf(piped)).toBeCloseTo(3.21, 3);
  },
);

it('a WAV with lengths of 64 bits is measured, and truncated by an earlier end', async () => {
  const plain = silent('wav');
  const lengths = Buffer.alloc(36);
  lengths.write('ds64');
  lengths.writeUInt32LE(28, 4);
  const long = Buffer.concat([plain.subarray(0, 12), lengths, plain.subarray(12)]);
  long.write('RF64');
  long.fill(0xff, 4, 8);
  long.fill(0xff, 76, 80);
  // Without a length in 64 bits, too, it comes from a pipe.
  expect(await durationOf(long)).toBeCloseTo(3.21, 3);
  long.writeBigUInt64LE(BigInt(plain.length - 44), 28);
  expect(isTruncatedAudio(long)).toBe(false);
  expect(isTruncatedAudio(long.subarray(0, -2))).toBe(true);
  expect(await durationOf(long)).toBeCloseTo(3.21, 3);
});

/** The file as a browser would have recorded it: an element to be skipped replaces its duration. */
const withoutDuration = (file: Buffer): Buffer => {
  const copy = Buffer.from(file);
  const at = copy.indexOf(Buffer.of(0x44, 0x89, 0x88));
  expect(at).toBeGreaterThan(0);
  copy.set([0xec, 0x89], at);
  return copy;
};

it.each([
  ['boats.webm', 3.379],
  ['library.webm', 3.003],
])('measures a WebM file that does not declare its duration: %s', async (name, seconds) => {
  const measured = await durationOf(withoutDuration(fixture(name)));
  // ffmpeg declares the end of the sound, which may be within the last block of 20 ms.
  expect(measured! - seconds).toBeGreaterThan(-0.001);
  expect(measured! - seconds).toBeLessThan(0.02);
});

it('the duration follows from the blocks', () => {
  const whole = withoutDuration(fixture('library.webm'));
  const half = webmDuration(whole.subarray(0, whole.length / 2)) ?? 0;
  expect(half).toBeGreaterThan(3.003 * 0.4);
  expect(half).toBeLessThan(3.003 * 0.6);
  expect(webmDuration(whole.subarray(0, 300))).toBe(null);
});

it('other files have no duration, and broken ones cause no error', () => {
  expect(webmDuration(fixture('gate.wav'))).toBe(null);
  const file = fixture('boats.webm');
  // Its header, its last blocks, which say how long it plays, and all of it.
  const end = file.length - 1;
  const place = fc.oneof(fc.nat(500), fc.integer({ min: end - 400, max: end }), fc.nat(end));
  let known = 0;
  fc.assert(
    fc.property(place, fc.uint8Array({ maxLength: 40 }), (at, noise) => {
      const broken = Buffer.from(file);
      broken.set(noise.subarray(0, broken.length - at), at);
      const seconds = webmDuration(broken);
      if (seconds === null) return;
      expect(seconds).toBeGreaterThan(0);
      known += 1;
    }),
    { numRuns: 300 },
  );
  expect(known).toBeGreaterThan(50);
  expect(known).toBeLessThan(300);
});
