import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readMediaFile } from './media.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-media-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, bytes: string): string => {
  writeFileSync(join(folder, name), Buffer.from(bytes, 'latin1'));
  return `file:${name}`;
};
const problemOf = (reference: string): string => {
  const found = readMediaFile(reference, folder);
  return found.ok ? 'none' : found.problem;
};

describe('an image or a recording', () => {
  it.each([
    ['gauge.png', 'image', 'image/png', 'png'],
    ['river.jpg', 'image', 'image/jpeg', 'jpeg'],
    ['gate.wav', 'audio', 'audio/wav', 'wav'],
    ['mill.mp3', 'audio', 'audio/mpeg', 'mp3'],
    ['answer.ogg', 'audio', 'audio/ogg', 'ogg'],
    ['keeper.m4a', 'audio', 'audio/mp4', 'm4a'],
    ['library.webm', 'audio', 'audio/webm', 'webm'],
  ])('comes with Weir as %s', (name, kind, contentType, format) => {
    expect(readMediaFile(`bundled:${name}`, folder)).toMatchObject({
      ok: true,
      value: { kind, contentType, format },
    });
  });

  it('is recognised by its content, whatever its name says', () => {
    const reference = write('photo.png', '\xff\xd8\xff\xe0 and so on');
    expect(readMediaFile(reference, folder)).toEqual({
      ok: true,
      value: {
        kind: 'image',
        contentType: 'image/jpeg',
        format: 'jpeg',
        base64: Buffer.from('\xff\xd8\xff\xe0 and so on', 'latin1').toString('base64'),
      },
    });
  });

  it('is refused if it is neither, too large, or does not come with Weir', () => {
    expect(problemOf(write('a.png', 'a'))).toMatch(/^file:a.png is neither a picture/);
    expect(problemOf(write('empty.png', ''))).toMatch(/is neither a picture/);
    const large = write('large.png', '\x89PNG');
    truncateSync(join(folder, 'large.png'), 11 * 1024 * 1024);
    expect(problemOf(large)).toBe('file:large.png has 11534336 bytes: expected at most 10485760');
    for (const name of ['../speech/gate.wav', 'make.mjs', 'manifest.json', ''])
      expect(problemOf(`bundled:${name}`)).toMatch(
        /does not come with Weir; there are .*gauge\.png/,
      );
  });

  it('throws the error of the system for a missing file', () => {
    expect(() => readMediaFile('file:none.png', folder)).toThrow(/ENOENT/);
  });
});
