import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isTruncatedAudio } from './truncated-audio.ts';
import { silentAudio } from './silent-audio.ts';

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
