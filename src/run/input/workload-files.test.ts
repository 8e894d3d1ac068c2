import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
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

describe('other files that a scenario names', () => {
  const outer = mkdtempSync(join(tmpdir(), 'weir-outer-'));
  afterAll(() => rmSync(outer, { recursive: true }));
  const inner = join(outer, 'inner');
  mkdirSync(join(inner, 'found'), { recursive: true });
  writeFileSync(join(outer, 'far.txt'), 'far');
  writeFileSync(join(inner, 'prices.json'), '{"a":1}');
  writeFileSync(join(inner, 'found', 'token-limits.json'), '{"b":2}');
  writeFileSync(join(inner, 'mine.json'), '{"c":3}');
  writeFileSync(join(inner, 'other.json'), '{"hello":"there"}');

  it('are read as they are; findings also by their folder', () => {
    const { files } = workloadFiles(inner, false);
    expect(files.prices('prices.json')).toEqual({ ok: true, value: '{"a":1}' });
    expect(files.findings('found')).toEqual({ ok: true, value: '{"b":2}' });
    expect(files.findings('mine.json')).toEqual({ ok: true, value: '{"c":3}' });
  });

  it('must be in the folder of a scenario that is not trusted', () => {
    const { files } = workloadFiles(inner, false);
    const outside = {
      ok: false,
      problem: expect.stringMatching(/ is outside the scenario’s folder: /),
    };
    for (const kind of ['text', 'prices', 'findings', 'dataset', 'tokenizer'] as const)
      expect(files[kind]('../far.txt'), kind).toEqual(outside);
    expect(files.media('file:../far.txt')).toEqual(outside);
    expect(workloadFiles(inner).files.text('../far.txt')).toEqual({ ok: true, value: 'far' });
  });

  it.each([
    ['other.json', 'other.json: expected a tokenizer.json as Hugging Face publishes it'],
    ['absent.json', 'absent.json cannot be read: there is no such file'],
  ])('are no tokenizer, which is explained: %s', (name, problem) => {
    const found = workloadFiles(inner).files.tokenizer(name);
    expect(found.ok ? '' : found.problem).toContain(problem);
  });
});
