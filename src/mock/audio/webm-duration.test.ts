import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { durationOf, webmDuration } from './audio-probe.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/speech/${name}`, import.meta.url));

/** The file as a browser would have recorded it: in place of its duration stands an element to be passed over. */
const untold = (file: Buffer): Buffer => {
  const copy = Buffer.from(file);
  const at = copy.indexOf(Buffer.of(0x44, 0x89, 0x88));
  expect(at).toBeGreaterThan(0);
  copy.set([0xec, 0x89], at);
  return copy;
};

it.each([
  ['boats.webm', 3.379],
  ['library.webm', 10.188],
])('measures a WebM file that does not declare its duration: %s', async (name, seconds) => {
  const measured = await durationOf(untold(fixture(name)));
  // ffmpeg declares the end of the sound, which may be within the last block of 20 ms.
  expect(measured! - seconds).toBeGreaterThan(-0.001);
  expect(measured! - seconds).toBeLessThan(0.02);
});

it('the duration follows from the blocks', () => {
  const whole = untold(fixture('library.webm'));
  const half = webmDuration(whole.subarray(0, whole.length / 2)) ?? 0;
  expect(half).toBeGreaterThan(4);
  expect(half).toBeLessThan(6);
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
