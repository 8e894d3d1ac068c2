import { describe, expect, it } from 'vitest';
import {
  bytesToAudio,
  longWav,
  riffChunk,
  riff,
  scanReads,
  wavFile,
  wavFormat,
  scanWithoutFault,
} from './sample-audio.fixture.ts';

const scan = (...parts: readonly Buffer[]) => scanReads('wav', Buffer.concat(parts));
const info = riffChunk('LIST', Buffer.from('INFOISFT\x06\0\0\0Lavf5\0'));
const samples = (count: number): Buffer => Buffer.alloc(count * 2);

describe('a WAV file', () => {
  it('is as long as its samples', () => {
    expect(scan(wavFile(4000))).toEqual(scanWithoutFault(0.5));
    expect(scan(wavFile(1))).toEqual(scanWithoutFault(1 / 8000));
  });

  it.each([
    0,
    0xffff_ffff,
    0x7fff_ffff,
    0x7fff_f000,
    2_000_000_000,
    1_000_000_000,
    0x1000_0000,
    0x7ffe_0000,
    0x4000_0000 - 36,
    500_000_000 - 44,
    0x0fff_ffff,
    999_999_999,
    100_000_000,
    50_000_000 - 58,
    0x4000_0000 - 80,
  ])('counts all bytes received if it declares %i, as streaming writers do', (declared) => {
    expect(scan(wavFile(4000, declared))).toEqual(scanWithoutFault(0.5));
  });

  // An hour, 100 minutes and a day at 8 kHz with 16 bits.
  it.each([57_600_000, 16_000 * 6000, 1_382_400_000])(
    'counts all bytes received if it declares %i, a whole number of minutes of its format',
    (declared) => {
      expect(scan(wavFile(4000, declared))).toEqual(scanWithoutFault(0.5));
      for (const other of [declared + 2, declared - 16_000])
        expect(scan(wavFile(4000, other))).toMatchObject({ fault: { kind: 'truncated' } });
    },
  );

  it('is truncated if it declares whole minutes of another format, or a few', () => {
    // An hour and a minute at 11.025 kHz, which are no whole minutes at 8 kHz; then ten minutes at 8 kHz.
    for (const declared of [22_050 * 3660, 16_000 * 600])
      expect(scan(wavFile(4000, declared))).toMatchObject({ fault: { kind: 'truncated' } });
  });

  it.each([300_000_001, 1_234_567_890, 24_000_000, 0x0100_0000, 100_000_001, 0x4000_0000 - 200])(
    'is truncated if it declares %i, which is counted or short enough to be true',
    (declared) => {
      expect(scan(wavFile(4000, declared)).fault?.kind).toBe('truncated');
    },
  );

  it.each([
    ['as it is', {}],
    ['as 0, as streaming writers do', { length: 0 }],
    ['as the largest number', { length: 2n ** 64n - 1n }],
    ['as the largest signed number', { length: 2n ** 63n - 1n }],
    ['in 32 bits, too', { chunk32: 8000 }],
    ['in the form of ITU-R BS.2088', { signature: 'BW64' }],
    ['as 0 in both forms', { length: 0, chunk32: 0 }],
  ])('of 64 bits counts its bytes if it declares their number %s', (_, form) => {
    expect(scan(longWav(4000, form))).toEqual(scanWithoutFault(0.5));
  });

  it('of 64 bits is truncated if it declares more bytes, also more than 4 GB', () => {
    for (const length of [8001, 5_000_000_001])
      expect(scan(longWav(4000, { length })).fault?.kind).toBe('truncated');
  });

  it('may have other chunks before and after its audio, also of odd lengths', () => {
    const odd = riffChunk('LIST', Buffer.from('odd'));
    expect(scan(riff(odd, wavFormat(), odd, riffChunk('data', samples(8000)), odd))).toEqual(
      scanWithoutFault(1),
    );
    const odder = riffChunk('data', Buffer.alloc(16_001));
    expect(scan(riff(wavFormat(), odder, odd))).toEqual(scanWithoutFault(1));
  });

  it('counts the samples of compressed blocks as its format declares', () => {
    const adpcm = wavFormat(2, [2, 0, 10, 0]);
    expect(scan(riff(adpcm, riffChunk('data', Buffer.alloc(1600))))).toEqual(scanWithoutFault(1));
  });

  it('has audio from the first byte after the header of its data chunk', () => {
    expect(bytesToAudio('wav', wavFile(10))).toBe(45);
  });

  it('is truncated by any cut', () => {
    const file = wavFile(20);
    for (let length = 0; length < file.length; length += 1) {
      expect(scan(file.subarray(0, length))).toMatchObject({ fault: { kind: 'truncated' } });
    }
  });

  it('is truncated if only other chunks were received', () => {
    for (const file of [riff(info), riff(wavFormat(), info)]) {
      expect(scan(file)).toMatchObject({ seconds: 0, fault: { kind: 'truncated' } });
    }
  });

  it('reports how much of its audio was received', () => {
    expect(scan(wavFile(4000, 10_000))).toEqual({
      seconds: 0.5,
      fault: {
        kind: 'truncated',
        detail: 'the WAV file declares 10000 bytes of audio and ends after 8000',
      },
      notes: [],
    });
  });

  it.each([
    ['no samples', wavFile(0)],
    [
      'no samples and metadata of the writer',
      riff(wavFormat(), riffChunk('data', samples(0)), info),
    ],
    ['half a sample', riff(wavFormat(), riffChunk('data', Buffer.of(1)))],
  ])('is empty with %s', (_, file) => {
    expect(scan(file)).toMatchObject({ seconds: 0, fault: { kind: 'silent' } });
  });

  it.each([
    ['no format before its audio', riff(riffChunk('data', samples(1)), wavFormat())],
    [
      'a format that is too short',
      riff(riffChunk('fmt ', Buffer.alloc(10)), riffChunk('data', samples(1))),
    ],
    ['a rate of 0', riff(riffChunk('fmt ', Buffer.alloc(16)), riffChunk('data', samples(1)))],
    ['a codec without a known length', riff(wavFormat(0x55), riffChunk('data', samples(1)))],
    ['blocks of no samples', riff(wavFormat(2, [2, 0, 0, 0]), riffChunk('data', samples(1)))],
  ])('is an invalid container with %s', (_, file) => {
    expect(scan(file)).toMatchObject({ fault: { kind: 'container' } });
  });

  it.each([
    ['a second file', wavFile(10)],
    ['bytes that are no chunk', Buffer.from('\0\0\0\0\0\0\0\0')],
    ['a few bytes', Buffer.from('abc')],
  ])('has a note if %s follows its audio', (_, junk) => {
    expect(scan(wavFile(8000), junk)).toEqual({ ...scanWithoutFault(1), notes: ['junk'] });
  });
});
