import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { audioTokens, imageTokens, mediaTokens } from './content-parts.ts';

const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../fixtures/${path}`, import.meta.url));

const dataUrl = (type: string, bytes: Buffer): string =>
  `data:image/${type};base64,${bytes.toString('base64')}`;

/** The first bytes of a PNG of this size. */
const pngOf = (width: number, height: number): string => {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return dataUrl('png', bytes);
};

describe('the tokens of an image', () => {
  it.each([
    // The examples of OpenAI's guide.
    [pngOf(1024, 1024), 765],
    [pngOf(2048, 4096), 1105],
    [pngOf(64, 64), 255],
    [pngOf(512, 512), 255],
    [pngOf(513, 512), 425],
    [pngOf(10_000, 10_000), 765],
    [pngOf(0, 0), 255],
    [dataUrl('png', fixture('images/gauge.png')), 255],
    [dataUrl('jpeg', fixture('images/river.jpg')), 765],
    [dataUrl('jpeg', fixture('images/square.jpg')), 255],
    [dataUrl('gif', Buffer.from('GIF89a\x01\x04\x01\0', 'latin1')), 595],
  ])('follow from its size, example %#', (url, tokens) => {
    expect(imageTokens({ url })).toBe(tokens);
    expect(imageTokens({ url, detail: 'high' })).toBe(tokens);
  });

  it('follow from the least bytes that say the size, and are the most with one fewer', () => {
    const cut = (type: string, bytes: Buffer) =>
      [bytes, bytes.subarray(0, -1)].map((file) => imageTokens({ url: dataUrl(type, file) }));
    const png = Buffer.from(pngOf(64, 64).split(',')[1]!, 'base64').subarray(0, 24);
    expect(cut('png', png)).toEqual([255, 1445]);
    expect(cut('gif', Buffer.from('GIF89a\x40\0\x40\0', 'latin1'))).toEqual([255, 1445]);
    // Another segment stands before the frame.
    const jpeg = Buffer.from('ffd8ffe0000300ffc0000b0800400040', 'hex');
    expect(cut('jpeg', jpeg)).toEqual([255, 1445]);
  });

  it('are 85 in low detail, whatever its size', () => {
    expect(imageTokens({ url: 'https://g.example/a.png', detail: 'low' })).toBe(85);
  });

  it.each([
    'https://g.example/a.png',
    'data:image/png;base64,',
    'data:image/jpeg;base64,/9j/4AAQ',
    'data:image/webp;base64,UklGRg==',
    'data:,x',
  ])('are the most that the rule allows if its size cannot be seen: %s', (url) => {
    expect(imageTokens({ url })).toBe(1445);
  });
});

describe('the tokens of audio', () => {
  it('are ten for a second of a WAV file', () => {
    // The manifest says how long they last.
    const { clips } = JSON.parse(fixture('speech/manifest.json').toString()) as {
      clips: { file: string; seconds: number }[];
    };
    const waves = clips.filter(({ file }) => file.endsWith('.wav'));
    expect(waves.length).toBeGreaterThan(1);
    for (const { file, seconds } of waves) {
      const data = fixture(`speech/${file}`).toString('base64');
      const tokens = audioTokens({ data, format: 'wav' });
      expect(Math.abs(tokens - 10 * seconds)).toBeLessThanOrEqual(1);
    }
  });

  it('are read from the head of a WAV file, if it is whole', () => {
    const head = Buffer.alloc(32);
    head.write('RIFF....WAVEfmt ', 'latin1');
    head.writeUInt32LE(2, 28);
    const tokensOf = (file: Buffer): number =>
      audioTokens({ data: file.toString('base64'), format: 'wav' });
    // 44 characters of base64 stand for 33 bytes: 165 for two bytes a second, 1 for compressed speech.
    expect(tokensOf(head)).toBe(165);
    expect(tokensOf(head.subarray(0, 31))).toBe(1);
  });

  it('are estimated by the size of anything else', () => {
    const data = Buffer.alloc(16_000).toString('base64');
    expect(audioTokens({ data, format: 'mp3' })).toBe(21);
  });
});

it('a text has none', () => {
  expect(mediaTokens({ type: 'text', text: 'a' })).toBe(0);
});
