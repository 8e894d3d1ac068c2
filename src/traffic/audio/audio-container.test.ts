import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SpeechFormat, speechFormats } from '../../model/workload/traffic.ts';
import { identifyContainer, createScanner } from './audio-container.ts';
import {
  bytesToAudio,
  id3,
  infoFrame,
  mp3Frames,
  opusFile,
  scanReads,
  wavFile,
} from './sample-audio.fixture.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/speech/${name}`, import.meta.url));

/** Bytes that look like the beginning of frames and tags. */
const mp3Junk = Buffer.from('xID\xff\xff\xfb\xffTAPTA', 'latin1');

const files: readonly (readonly [SpeechFormat, string, Buffer])[] = [
  ['wav', 'a WAV file', wavFile(30)],
  ['wav', 'a streamed WAV file', wavFile(30, 0)],
  ['mp3', 'an MP3 file', mp3Frames(4)],
  ['mp3', 'an MP3 file with tags', Buffer.concat([id3(20), infoFrame(3), mp3Frames(3)])],
  ['mp3', 'an MP3 file with junk', Buffer.concat([mp3Frames(2), mp3Junk, mp3Frames(2), mp3Junk])],
  ['opus', 'an Ogg Opus file', opusFile(4)],
  ['opus', 'two Ogg Opus files', Buffer.concat([opusFile(2), opusFile(2, 312, 2)])],
];

describe('an audio scanner', () => {
  it.each(files)('gives the same for %s, however it is cut: %s', (format, _, file) => {
    const whole = scanReads(format, file);
    expect(whole).toMatchObject({ fault: null });
    const toAudio = bytesToAudio(format, file);
    for (let at = 0; at <= file.length; at += 1) {
      const first = createScanner(format);
      first.feed(file.subarray(0, at));
      const cut = { at, scan: scanReads(format, file.subarray(0, at), file.subarray(at)) };
      if (!isDeepStrictEqual(cut.scan, whole)) expect(cut).toEqual({ at, scan: whole });
      if (first.hasAudio !== at >= toAudio) expect({ at, toAudio }).toBe('heard at the right byte');
    }
  });

  it.each([
    ['wav', 'gate.wav'],
    ['mp3', 'station.mp3'],
    ['opus', 'answer.ogg'],
  ] as const)('gives the same for real %s in any reads', (format, name) => {
    const file = fixture(name);
    const whole = scanReads(format, file);
    fc.assert(
      fc.property(fc.array(fc.nat(file.length), { maxLength: 20 }), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), file.length];
        const reads = cuts.slice(1).map((end, index) => file.subarray(cuts[index], end));
        expect(scanReads(format, ...reads)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  // The durations are those of ffmpeg and, for MP3, those by ffprobe's count of frames: an MP3's own padding is played.
  it.each([
    ['wav', 'gate.wav', 9705 / 8000],
    ['wav', 'river.wav', 15_522 / 8000],
    ['mp3', 'station.mp3', 3.708],
    ['mp3', 'mill.mp3', 4.104],
    ['opus', 'answer.ogg', 1.61575],
    ['opus', 'kurs.ogg', 254_982 / 48_000],
  ] as const)('measures the duration of %s: %s', (format, name, seconds) => {
    expect(scanReads(format, fixture(name))).toEqual({ seconds, fault: null, notes: [] });
  });

  it('returns a finite duration for any bytes', () => {
    const magics = ['RIFF0000WAVEfmt ', 'RIFF0000WAVEdata', 'ID3', 'APETAGEX', 'OggS\0\x02', ''];
    fc.assert(
      fc.property(
        fc.constantFrom(...speechFormats),
        fc.constantFrom(...magics),
        fc.uint8Array({ maxLength: 400 }),
        (format, magic, bytes) => {
          const { seconds } = scanReads(format, Buffer.from(magic, 'latin1'), bytes);
          expect(seconds).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(seconds)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('returns a finite duration for a file with some changed bytes', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, ([format, , file], changed) => {
        const bytes = Buffer.from(file);
        for (const [place, value] of changed) bytes[place % bytes.length] = value;
        const { seconds } = scanReads(format, bytes);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(seconds)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps no audio in memory', () => {
    const scanner = createScanner('wav');
    scanner.feed(wavFile(0, 0));
    const megabyte = Buffer.alloc(1024 * 1024);
    for (let read = 0; read < 5000; read += 1) scanner.feed(megabyte);
    expect(scanner.end().seconds).toBe((5000 * megabyte.length) / 16_000);
  });
});

describe('the first bytes of a body', () => {
  it.each(files)('identify %s: %s', (format, _, file) => {
    for (const asked of speechFormats) {
      expect(identifyContainer(file.subarray(0, 12), asked)?.format).toBe(format);
    }
  });

  it.each([
    ['fLaC........', 'FLAC'],
    ['\xff\xf1..........', 'AAC (ADTS)'],
    ['....ftypM4A ', 'MP4'],
    ['\x1a\x45\xdf\xa3........', 'WebM'],
    ['FORM....AIFF', 'AIFF'],
    ['.snd\0\0\0\x18\xff\xff\xff\xff', 'AU'],
    ['caff\0\x01\0\0desc', 'CAF'],
    ['#!AMR-WB\n...', 'AMR'],
    ['riff\x2e\x91\xcf\x11....', 'Wave64'],
  ])('identify a format other than the requested ones: %j', (bytes, name) => {
    expect(identifyContainer(Buffer.from(bytes, 'latin1'), 'mp3')).toEqual({ name, format: null });
  });

  it.each(['RF64....WAVE', 'BW64....WAVE'])('identify WAV with lengths of 64 bits: %j', (bytes) => {
    const found = identifyContainer(Buffer.from(bytes), 'wav');
    expect(found).toEqual({ name: 'WAV', format: 'wav' });
  });

  it('are otherwise unknown', () => {
    for (const bytes of ['RIFF....AVI ', '{"error": 1}', 'RIFX....WAVE']) {
      expect(identifyContainer(Buffer.from(bytes), 'wav')).toBeNull();
    }
  });

  it('match the requested format if they are few and could begin it', () => {
    for (const [format, , file] of files) {
      for (let length = 1; length < 12; length += 1) {
        expect(identifyContainer(file.subarray(0, length), format)?.format).toBe(format);
      }
    }
    expect(identifyContainer(Buffer.from('RIFF'), 'mp3')).toBeNull();
    expect(identifyContainer(Buffer.from('OK'), 'opus')).toBeNull();
  });
});
