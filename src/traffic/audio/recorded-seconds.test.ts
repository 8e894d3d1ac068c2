import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordedSeconds } from './recorded-seconds.ts';
import {
  id3,
  infoFrame,
  mp3FrameMs,
  mp3Frames,
  opusFile,
  wavFile,
} from './sample-audio.fixture.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/speech/${name}`, import.meta.url));
const frames = (count: number): number => (count * mp3FrameMs) / 1000;

const element = (id: readonly number[], body: Buffer, size = [0x80 + body.length]): Buffer =>
  Buffer.concat([Buffer.from(id), Buffer.from(size), body]);
const head = element([0x1a, 0x45, 0xdf, 0xa3], Buffer.alloc(3));
const segment = (body: Buffer, size?: number[]): Buffer =>
  Buffer.concat([head, element([0x18, 0x53, 0x80, 0x67], body, size)]);
const info = (scale: number): Buffer =>
  element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], Buffer.of(scale >> 16, scale >> 8, scale)),
  );
const cluster = (time: number, ...blocks: readonly Buffer[]): Buffer =>
  element(
    [0x1f, 0x43, 0xb6, 0x75],
    Buffer.concat([element([0xe7], Buffer.of(time >> 8, time)), ...blocks]),
  );
const simple = (time: number): Buffer =>
  element([0xa3], Buffer.of(0x81, time >> 8, time, 0x80, 1, 2, 3));
const grouped = (time: number): Buffer =>
  element([0xa0], element([0xa1], Buffer.of(0x81, time >> 8, time, 0, 1, 2, 3)));
const unknown = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

describe('the duration of a recording', () => {
  it('counts the whole frames of an MP3, not those that its first frame declares', () => {
    const file = Buffer.concat([id3(20), infoFrame(9), mp3Frames(9)]);
    expect(recordedSeconds(file)).toBe(frames(9));
    expect(recordedSeconds(file.subarray(0, -40))).toBe(frames(7));
    expect(recordedSeconds(file.subarray(0, -9 * 36))).toBe(0);
    expect(recordedSeconds(Buffer.concat([file, file]))).toBe(frames(18));
  });

  it('ends at the last whole block of a WebM', () => {
    const two = Buffer.concat([cluster(0, simple(0), simple(20)), cluster(40, grouped(5))]);
    expect(recordedSeconds(segment(two))).toBe(0.045);
    expect(recordedSeconds(segment(two, unknown))).toBe(0.045);
    expect(recordedSeconds(segment(two).subarray(0, -1))).toBe(0.02);
    expect(recordedSeconds(segment(Buffer.concat([info(500_000), two])))).toBe(0.0225);
    expect(recordedSeconds(segment(info(1)))).toBeNull();
  });

  it.each([
    ['mill.mp3', 20.268],
    ['station.mp3', 3.708],
    ['library.webm', 10.181],
    ['boats.webm', 3.361],
  ])('is nearly that of %s, and about half of it if that is cut', (name, seconds) => {
    const file = fixture(name);
    expect(recordedSeconds(file)).toBeCloseTo(seconds, 9);
    const half = recordedSeconds(file.subarray(0, file.length / 2))!;
    expect(half / seconds).toBeGreaterThan(0.4);
    expect(half / seconds).toBeLessThan(0.6);
  });

  it('is unknown if it would need the whole file, or the format is unknown', () => {
    const others = [wavFile(20), opusFile(4), fixture('keeper.m4a'), Buffer.from('no audio')];
    for (const file of [...others, head]) {
      expect(recordedSeconds(file)).toBeNull();
    }
  });

  it('is finite or unknown for any broken WebM file', () => {
    const file = fixture('boats.webm');
    for (let place = 0; place < 600; place += 1) {
      const bytes = Buffer.from(file);
      bytes[place] = (bytes[place]! + 1 + place) % 256;
      const seconds = recordedSeconds(bytes) ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThan(Number.POSITIVE_INFINITY);
    }
  });
});
