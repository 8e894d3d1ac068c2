import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordedSeconds } from './recorded-seconds.ts';
import {
  id3,
  infoFrame,
  longWav,
  mp3FrameMs,
  mp3Frames,
  oggPage,
  opusFile,
  riff,
  wavFile,
  wavFormat,
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
const secondsOf = (file: Uint8Array): number | null => recordedSeconds(file)?.seconds ?? null;
const unknown = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

describe('the duration of a recording', () => {
  it('counts the whole frames of an MP3, not those that its first frame declares', () => {
    const file = Buffer.concat([id3(20), infoFrame(9), mp3Frames(9)]);
    expect(secondsOf(file)).toBe(frames(9));
    expect(secondsOf(file.subarray(0, -40))).toBe(frames(7));
    expect(secondsOf(file.subarray(0, -9 * 36))).toBe(0);
    expect(secondsOf(Buffer.concat([file, file]))).toBe(frames(18));
  });

  it('ends at the last whole block of a WebM', () => {
    const two = Buffer.concat([cluster(0, simple(0), simple(20)), cluster(40, grouped(5))]);
    expect(secondsOf(segment(two))).toBe(0.045);
    expect(secondsOf(segment(two, unknown))).toBe(0.045);
    expect(secondsOf(segment(two).subarray(0, -1))).toBe(0.02);
    expect(secondsOf(segment(Buffer.concat([info(500_000), two])))).toBe(0.0225);
    expect(secondsOf(segment(info(1)))).toBeNull();
  });

  it.each([
    ['mill.mp3', 4.104],
    ['station.mp3', 3.708],
    ['library.webm', 3.001],
    ['boats.webm', 3.361],
  ])('is nearly that of %s, and about half of it if that is cut', (name, seconds) => {
    const file = fixture(name);
    expect(secondsOf(file)).toBeCloseTo(seconds, 9);
    const half = secondsOf(file.subarray(0, file.length / 2))!;
    expect(half / seconds).toBeGreaterThan(0.4);
    expect(half / seconds).toBeLessThan(0.6);
  });

  it.each(['library.webm', 'boats.webm'])('needs no duration in the header of %s', (name) => {
    const file = fixture(name);
    const declared = file.indexOf(Buffer.of(0x44, 0x89, 0x88));
    expect(declared).toBeGreaterThan(0);
    // The id of an element without meaning (Void) is one byte, and what follows becomes its size of nine bytes.
    const live = Buffer.from(file);
    live[declared] = 0xec;
    expect(secondsOf(live)).toBe(secondsOf(file));
  });

  it.each([0, 0xffff_ffff, 0x7fff_ffff, 2_000_000_000, 8000, 16_000])(
    'counts the samples of a WAV that declares %i bytes of audio',
    (declared) => {
      expect(recordedSeconds(wavFile(4000, declared))).toEqual({ seconds: 0.5, isFinal: true });
    },
  );

  it('counts the samples of a WAV with lengths of 64 bits, and the pages of an Ogg Opus', () => {
    for (const length of [8000, 0]) {
      const file = longWav(4000, { length });
      expect(recordedSeconds(file)).toEqual({ seconds: 0.5, isFinal: true });
    }
    expect(recordedSeconds(opusFile(51, 960))).toEqual({ seconds: 1, isFinal: true });
  });

  it('is unknown if only the header says it, or the format is unknown', () => {
    const vorbis = oggPage([Buffer.from('\x01vorbis')], { first: true });
    const others = [vorbis, riff(wavFormat(0x55)), fixture('keeper.m4a'), Buffer.from('no audio')];
    for (const file of [...others, head]) {
      expect(recordedSeconds(file)).toBeNull();
    }
  });

  it('is not known for an MP4 that ends before its boxes do', () => {
    const file = fixture('keeper.m4a');
    expect(recordedSeconds(file)).toBeNull();
    for (const end of [file.length - 1, file.length / 2, 400])
      expect(recordedSeconds(file.subarray(0, end))).toMatchObject({ isCut: true });
  });

  it('is finite or unknown for any broken WebM file', () => {
    const file = fixture('boats.webm');
    for (let place = 0; place < 600; place += 1) {
      const bytes = Buffer.from(file);
      bytes[place] = (bytes[place]! + 1 + place) % 256;
      const seconds = secondsOf(bytes) ?? 0;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThan(Number.POSITIVE_INFINITY);
    }
  });
});
