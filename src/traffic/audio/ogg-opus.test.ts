import { describe, expect, it } from 'vitest';
import { samplesIn } from './ogg-opus.ts';
import {
  bytesToAudio,
  oggPage,
  opusFile,
  opusHead,
  opusHeaders,
  opusPacket,
  scanReads,
  scanWithoutFault,
} from './sample-audio.fixture.ts';

const scan = (...parts: readonly Buffer[]) => scanReads('opus', Buffer.concat(parts));
const ofSamples = (samples: number) => scanWithoutFault(samples / 48_000);

describe('an Opus packet', () => {
  it.each([
    ['SILK, 10 ms', [0x00], 480],
    ['SILK, 60 ms', [0x18], 2880],
    ['both, 20 ms', [0x68], 960],
    ['CELT, 2.5 ms', [0x80], 120],
    ['CELT, 20 ms', [0x98], 960],
    ['two frames of CELT, 20 ms', [0x99], 1920],
    ['two frames of different sizes', [0x9a], 1920],
    ['so many frames', [0x9b, 0x03], 2880],
    ['nothing', [], 0],
  ])('gives its duration: %s', (_, bytes, samples) => {
    expect(samplesIn(Buffer.from(bytes), [bytes.length])).toBe(samples);
  });
});

describe('an Ogg Opus file', () => {
  it('is as long as the position of its last page, without the samples to skip', () => {
    expect(scan(opusFile(50))).toEqual(ofSamples(50 * 960 - 312));
    expect(scan(opusFile(1, 0))).toEqual(ofSamples(960));
  });

  it('begins at its first page of audio, not at 0, if it is a part of a longer file', () => {
    const pages = [
      oggPage([opusPacket, opusPacket], { position: 100_000 }),
      oggPage([opusPacket], { position: 100_960, last: true }),
    ];
    expect(scan(opusHeaders(312), ...pages)).toEqual(ofSamples(3 * 960 - 312));
    const open = [
      oggPage([opusPacket, Buffer.alloc(255, 0x78)], { position: 100_000, open: true }),
      oggPage([Buffer.alloc(9)], { position: 100_960, last: true }),
    ];
    expect(scan(opusHeaders(312), ...open)).toEqual(ofSamples(2 * 960 - 312));
  });

  it('may end on a page without a packet, which has no position', () => {
    const audio = oggPage([opusPacket], { position: 960 });
    expect(scan(opusHeaders(0), audio, oggPage([], { last: true }))).toEqual(ofSamples(960));
  });

  it('may end before the end of its last packet', () => {
    const last = oggPage([opusPacket, opusPacket], { position: 1000, last: true });
    expect(scan(opusHeaders(312), last)).toEqual(ofSamples(1000 - 312));
  });

  it('may have packets and comments that span pages', () => {
    const long = Buffer.alloc(510, 0x78);
    const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(502)]);
    const file = [
      oggPage([opusHead(0)], { first: true, position: 0 }),
      oggPage([tags], { open: true }),
      oggPage([Buffer.alloc(20)], { position: 0 }),
      oggPage([long], { open: true }),
      oggPage([Buffer.alloc(3)], { position: 960 }),
      oggPage([opusPacket], { position: 1920, last: true }),
    ];
    expect(scan(...file)).toEqual(ofSamples(1920));
    const toAudio = Buffer.concat(file.slice(0, 3)).length + 27 + 2;
    expect(bytesToAudio('opus', Buffer.concat(file))).toBe(toAudio + 1);
  });

  it('may be several concatenated streams', () => {
    expect(scan(opusFile(3), opusFile(5, 312, 2))).toEqual(ofSamples(8 * 960 - 2 * 312));
  });

  it('may contain streams of another kind', () => {
    const other = oggPage([Buffer.from('Speex   ')], { first: true, serial: 9 });
    const more = oggPage([Buffer.alloc(99)], { position: 999_999, serial: 9 });
    const audio = [
      oggPage([opusPacket], { position: 960 }),
      oggPage([opusPacket], { position: 1920, last: true }),
    ];
    expect(scan(other, opusHeaders(0), more, audio[0]!, more, audio[1]!, more)).toEqual(
      ofSamples(1920),
    );
  });

  it('has audio from the first byte of its first page of audio', () => {
    const audio = opusHeaders(0).length + 27 + 1;
    expect(bytesToAudio('opus', opusFile(2))).toBe(audio + 1);
  });

  it('is truncated by any cut', () => {
    const file = opusFile(3);
    for (let length = 1; length < file.length; length += 1) {
      expect(scan(file.subarray(0, length)), `${length}`).toMatchObject({
        fault: { kind: 'truncated' },
      });
    }
    expect(scan(opusFile(3).subarray(0, -1))).toMatchObject({ seconds: (2 * 960 - 312) / 48_000 });
  });

  it('is truncated if one of its streams lacks its end or its last packet', () => {
    const cut = Buffer.concat([opusHeaders(312), oggPage([opusPacket], { position: 960 })]);
    expect(scan(cut, opusFile(3, 312, 2))).toMatchObject({ fault: { kind: 'truncated' } });
    const open = oggPage([opusPacket, Buffer.alloc(255)], {
      position: 960,
      last: true,
      open: true,
    });
    expect(scan(opusHeaders(312), open)).toMatchObject({ fault: { kind: 'truncated' } });
  });

  it('is empty without a sample after those to skip', () => {
    const last = (position: number) => oggPage([], { position, last: true });
    expect(scan(opusHeaders(312), last(0))).toMatchObject({ fault: { kind: 'silent' } });
    expect(scan(opusHeaders(312), last(312))).toMatchObject({ fault: { kind: 'silent' } });
  });

  it.each([
    ['Vorbis', '\x01vorbis'],
    ['FLAC', '\x7fFLAC'],
    ['a stream of another codec', 'something'],
    ['an unreadable Opus header', 'OpusHead'],
  ])('is invalid if it contains %s', (name, magic) => {
    const first = oggPage([Buffer.from(magic, 'latin1')], { first: true });
    expect(scan(first, oggPage([Buffer.alloc(9)], { last: true }))).toMatchObject({
      fault: { kind: 'container', detail: `the Ogg file contains ${name}, not Opus` },
    });
  });

  it('is invalid without its comment header, or with bytes between its pages', () => {
    const first = oggPage([opusHead(0)], { first: true });
    expect(scan(first, oggPage([opusPacket], { last: true }))).toMatchObject({
      fault: { kind: 'container' },
    });
    expect(scan(opusHeaders(0), Buffer.from('junk here'), opusFile(1))).toMatchObject({
      fault: { kind: 'container' },
    });
  });

  it('has a note if bytes follow its end', () => {
    expect(scan(opusFile(3), Buffer.from('more'))).toEqual({
      ...ofSamples(3 * 960 - 312),
      notes: ['junk'],
    });
  });
});
