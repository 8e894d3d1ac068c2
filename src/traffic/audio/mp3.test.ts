// @gate 1 s
import { describe, expect, it } from 'vitest';
import { readMp3Frame } from '../../contract/containers.ts';
import { scanMp3 } from './mp3.ts';
import {
  bytesToAudio,
  id3,
  infoFrame,
  mp3Frame,
  mp3FrameMs,
  mp3Frames,
  scanReads,
  scanWithoutFault,
} from './sample-audio.fixture.ts';
import { type FoundAudio, type ScanStep, Scanner } from './scanner.ts';

const scan = (...parts: readonly Buffer[]) => scanReads('mp3', Buffer.concat(parts));
const ofFrames = (count: number) => scanWithoutFault((count * mp3FrameMs) / 1000);

describe('the header of an MP3 frame', () => {
  it.each([
    ['MPEG 1, 44.1 kHz, 128 kbit/s', [0xff, 0xfb, 0x90, 0x00], [417, 1152, 44_100]],
    ['the same with padding', [0xff, 0xfb, 0x92, 0x00], [418, 1152, 44_100]],
    ['MPEG 1, 32 kHz, 320 kbit/s', [0xff, 0xfb, 0xe8, 0x00], [1440, 1152, 32_000]],
    ['MPEG 2, 16 kHz, 24 kbit/s, mono', [0xff, 0xf3, 0x38, 0xc0], [108, 576, 16_000]],
    ['MPEG 2.5, 8 kHz, 8 kbit/s, with a checksum', [0xff, 0xe2, 0x18, 0xc0], [72, 576, 8000]],
  ])('gives length, samples and rate: %s', (_, bytes, expected) => {
    const { length, samples, sampleRate } = readMp3Frame(Buffer.from(bytes))!;
    expect([length, samples, sampleRate]).toEqual(expected);
  });

  it.each([
    ['no sync', [0xfe, 0xfb, 0x90, 0x00]],
    ['half a sync', [0xff, 0xdb, 0x90, 0x00]],
    ['the reserved version', [0xff, 0xeb, 0x90, 0x00]],
    ['layer II', [0xff, 0xfd, 0x90, 0x00]],
    ['no layer, as in AAC', [0xff, 0xf1, 0x90, 0x00]],
    ['a free bit rate', [0xff, 0xfb, 0x00, 0x00]],
    ['a bit rate that is not allowed', [0xff, 0xfb, 0xf0, 0x00]],
    ['the reserved sample rate', [0xff, 0xfb, 0x9c, 0x00]],
    ['the reserved emphasis', [0xff, 0xfb, 0x90, 0x02]],
    ['too few bytes', [0xff, 0xfb, 0x90]],
  ])('is invalid with %s', (_, bytes) => {
    expect(readMp3Frame(Buffer.from(bytes))).toBeNull();
  });
});

describe('an MP3 file', () => {
  it('is as long as its frames', () => {
    expect(scan(mp3Frames(1))).toEqual(ofFrames(1));
    expect(scan(mp3Frames(50))).toEqual(ofFrames(50));
  });

  it('does not count the frame in which the encoder stores the frame count', () => {
    expect(scan(infoFrame(3), mp3Frames(3))).toEqual(ofFrames(3));
    expect(scan(id3(20), infoFrame(3), mp3Frames(3))).toEqual(ofFrames(3));
    expect(scan(infoFrame(0), mp3Frames(3))).toEqual(ofFrames(3));
    expect(scan(infoFrame(3, 2), mp3Frames(3))).toEqual(ofFrames(3));
    const vbri = Buffer.alloc(104, 0);
    vbri.set([0xff, 0xf3, 0x38, 0xc0]);
    vbri.write('VBRI', 36);
    vbri.writeUInt32BE(3, 50);
    const padded = Buffer.concat([vbri, Buffer.alloc(108 - vbri.length)]);
    expect(scan(padded, mp3Frames(3))).toEqual(ofFrames(3));
  });

  it('may have the largest number in place of the count, as an encoder leaves it in a pipe', () => {
    for (const count of [0xffff_ffff, 0x7fff_ffff]) {
      const info = infoFrame(0);
      info.writeUInt32BE(count, info.indexOf('Info') + 8);
      expect(scan(info, mp3Frames(3))).toEqual(ofFrames(3));
    }
  });

  it('counts a frame that only looks like a tag in the middle', () => {
    expect(scan(mp3Frames(2), infoFrame(9), mp3Frames(2))).toEqual(ofFrames(5));
  });

  it('may be several concatenated files', () => {
    const file = Buffer.concat([id3(200), infoFrame(4), mp3Frames(4)]);
    expect(scan(file, file)).toEqual(ofFrames(8));
  });

  it('may have tags at its end', () => {
    const id3v1 = Buffer.alloc(128, 'TAG');
    const ape = Buffer.alloc(32 + 64);
    ape.write('APETAGEX');
    ape.writeUInt32LE(64, 12);
    ape.writeUInt32LE(0xa000_0000, 20);
    expect(scan(mp3Frames(2), id3v1)).toEqual(ofFrames(2));
    expect(scan(mp3Frames(2), id3v1, mp3Frames(2))).toEqual(ofFrames(4));
    expect(scan(mp3Frames(2), ape, id3v1)).toEqual(ofFrames(2));
  });

  it('has audio from the first frame that cannot be a tag', () => {
    expect(bytesToAudio('mp3', mp3Frames(2))).toBe(36);
    expect(bytesToAudio('mp3', Buffer.concat([infoFrame(1), mp3Frames(1)]))).toBe(36 + 5);
    expect(bytesToAudio('mp3', Buffer.concat([id3(20), mp3Frames(1)]))).toBe(30 + 36);
  });

  it('is truncated by a cut inside a frame, and reports how much was received', () => {
    const file = mp3Frames(3);
    for (let length = 2 * 36 + 1; length < file.length; length += 1) {
      expect(scan(file.subarray(0, length))).toMatchObject({
        seconds: ofFrames(2).seconds,
        fault: { kind: 'truncated' },
      });
    }
  });

  it('is truncated by a cut between frames if it declares more', () => {
    expect(scan(infoFrame(5), mp3Frames(3))).toMatchObject({
      fault: {
        kind: 'truncated',
        detail: 'the MP3 file declares 5 frames and ends after 3',
      },
    });
    expect(scan(infoFrame(4), mp3Frames(3))).toEqual(ofFrames(3));
  });

  it('is truncated by a cut inside its first tag', () => {
    const tag = id3(20);
    for (let length = 4; length < tag.length; length += 1) {
      expect(scan(tag.subarray(0, length))).toMatchObject({ fault: { kind: 'truncated' } });
    }
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a tag', id3(20)],
    ['a frame that declares others', infoFrame(0)],
  ])('is empty with only %s', (_, file) => {
    expect(scan(file)).toMatchObject({ fault: { kind: 'silent' } });
  });

  it('may have some unknown bytes, with a note', () => {
    const junk = Buffer.alloc(20);
    expect(scan(id3(5), junk, mp3Frames(4), junk)).toEqual({ ...ofFrames(4), notes: ['junk'] });
    expect(scan(mp3Frames(2), junk, mp3Frames(2))).toEqual({ ...ofFrames(4), notes: ['junk'] });
  });

  it('continues at the first frame or tag after unknown bytes of any kind', () => {
    const frames = mp3Frames(4);
    for (const junk of [
      '\xff',
      '\xff\xff\xff\xff\xff',
      'IIID',
      'TAAP',
      'A\xff\xfb\xff',
      'xxxx\xff\xe3\xf0',
    ]) {
      const bytes = Buffer.from(junk, 'latin1');
      expect(scan(frames, bytes, frames)).toEqual({ ...ofFrames(8), notes: ['junk'] });
      expect(scan(frames, bytes, id3(3), frames)).toEqual({ ...ofFrames(8), notes: ['junk'] });
    }
  });

  it.each([0, 0x41, 0xff])('is read past a megabyte of the byte %i in a few steps', (byte) => {
    let steps = 0;
    const counted = function* (found: FoundAudio): ScanStep<void> {
      const inner = scanMp3(found);
      let step = inner.next({ bytes: Buffer.alloc(0), count: 0 });
      for (; step.done !== true; steps += 1) step = inner.next(yield step.value);
    };
    const scanner = new Scanner(counted);
    const frames = 30_000;
    scanner.feed(mp3Frames(frames));
    for (let read = 0; read < 16; read += 1) scanner.feed(Buffer.alloc(65_536, byte));
    expect(scanner.end()).toEqual({ ...ofFrames(frames), notes: ['junk'] });
    expect(steps).toBeLessThan(3 * frames);
  });

  it('is invalid if most of it is unknown bytes', () => {
    expect(scan(mp3Frames(1), Buffer.alloc(100))).toMatchObject({
      fault: { kind: 'container', detail: 'only 36 bytes of the MP3 file are frames' },
    });
    expect(scan(mp3Frames(1), Buffer.alloc(100_000), mp3Frames(9999))).toMatchObject({
      fault: { kind: 'container' },
    });
    expect(scan(id3(20), Buffer.from('fLaC and what follows'))).toMatchObject({
      fault: { kind: 'container' },
    });
  });

  it('sums frames of different sample rates separately', () => {
    const fast = Buffer.alloc(417);
    fast.set([0xff, 0xfb, 0x90, 0x00]);
    expect(scan(mp3Frame(), fast).seconds).toBeCloseTo(0.036 + 1152 / 44_100, 12);
  });
});
