import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOutputFolder, outputFiles } from './output-folder.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'weir-output-'));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const kinds = Object.keys(outputFiles) as readonly (keyof typeof outputFiles)[];
const ownPage =
  '<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="Weir 0.1.0">';

/** What is said when the folder is opened with these files in it; the refusal where it is refused. */
const opened = async (
  kind: keyof typeof outputFiles,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  const said: string[] = [];
  try {
    const folder = await openOutputFolder(home, kind, (text) => said.push(text));
    await folder.release();
  } catch (error) {
    said.push((error as Error).message);
  }
  return said;
};

describe.each(kinds)('the folder of a %s', (kind) => {
  const { data, ...others } = outputFiles[kind];
  const own = {
    [data]: `{"format":"${kind === 'run' ? 'result' : kind}/1","weir":"0.1.0"}`,
    ...Object.fromEntries(
      Object.values(others).map((name) => [name, name.endsWith('.html') ? ownPage : 'any text']),
    ),
  };

  it('with files of other names is opened without a word', async () => {
    expect(await opened(kind, { 'notes.txt': 'mine' })).toEqual([]);
  });

  it('says which of its earlier files are replaced', async () => {
    const names = [data, ...Object.values(others)].join(' and ');
    expect(await opened(kind, own)).toEqual([
      `${home} contains an earlier ${names}, which this run overwrites.`,
    ]);
  });

  it.each([data, ...Object.values(others)])(
    'is refused for a %s of another program, which stays',
    async (name) => {
      const [said, ...more] = await opened(kind, { [name]: '{"metrics":{}}' });
      expect(more).toEqual([]);
      expect(said).toContain(
        `${join(home, name)} would be replaced, and is not a file of Weir’s. Give another folder with --out FOLDER, or move it away`,
      );
      expect(await readFile(join(home, name), 'utf8')).toBe('{"metrics":{}}');
      expect(await readdir(home)).toEqual([name]);
    },
  );
});

describe('a folder for output', () => {
  it('with an empty file of that name is opened', async () => {
    expect(await opened('run', { 'result.json': '' })).toEqual([
      `${home} contains an earlier result.json, which this run overwrites.`,
    ]);
  });

  it('with a page of another program beside data of Weir is refused', async () => {
    const [said] = await opened('run', {
      'result.json': '{\n  "format": "result/1"}',
      'report.html': '<html><body>mine',
    });
    expect(said).toContain(`${join(home, 'report.html')} would be replaced`);
  });
});
