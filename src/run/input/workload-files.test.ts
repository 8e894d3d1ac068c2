import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { workloadFiles } from './workload-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-texts-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a text to be spoken', () => {
  const { files } = workloadFiles(folder);
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return name;
  };

  it('is read from its file, without byte order mark and surrounding space', () => {
    expect(files.text(put('text.txt', '\uFEFFThe gate\nis open. \n'))).toEqual({
      ok: true,
      value: 'The gate\nis open.',
    });
    const longest = '🌊'.repeat(1_000_000);
    expect(files.text(put('longest.txt', longest))).toEqual({ ok: true, value: longest });
  });

  it.each([
    [put('empty.txt', ' \n'), 'empty.txt: expected text; there is none'],
    [put('sound.txt', Buffer.from([0xff, 0xfb, 0x90])), 'sound.txt: expected plain text in UTF-8'],
    [
      put('library.txt', 'a'.repeat(1_000_001)),
      'library.txt: expected at most 1,000,000 characters of text; it has 1,000,001',
    ],
    [
      'no.txt',
      'no.txt cannot be read: there is no such file. Give a path from the scenario’s folder',
    ],
  ])('is an error with an explanation if it is unusable: %s', (name, problem) => {
    expect(files.text(name)).toEqual({ ok: false, problem });
  });
});

describe('a file of prompts', () => {
  const { files } = workloadFiles(folder);

  it.each(['p.jsonl', 'p.csv', 'p.json'])(
    'that is a pipe or a device is refused before it is read: %s',
    (name) => {
      const refused = {
        ok: false,
        problem: expect.stringMatching(/cannot be read: it is a pipe or a device/),
      };
      execFileSync('mkfifo', [join(folder, `pipe-${name}`)]);
      symlinkSync('/dev/zero', join(folder, `device-${name}`));
      for (const file of [`pipe-${name}`, `device-${name}`]) {
        expect(files.dataset(file)).toEqual(refused);
        expect(files.text(file)).toEqual(refused);
      }
    },
  );

  it('that is longer than any text is refused before it is read', () => {
    const file = join(folder, 'long.jsonl');
    writeFileSync(file, '');
    truncateSync(file, 600 * 1024 * 1024);
    expect(files.dataset('long.jsonl')).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/it is larger than 511 MiB/),
    });
  });
});
