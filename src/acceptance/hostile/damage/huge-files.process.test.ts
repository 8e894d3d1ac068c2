import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { weir } from '../../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

/** Makes a file of zeros, which needs no room on the disk, after its first bytes. */
const sparse = async (folder: string, name: string, size: number, begin = ''): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, begin);
  await truncate(file, size);
  return file;
};

const scenario = (prompt: string, load = 'kind: constant, rate: 2/s, duration: 2s'): string =>
  `target: mock\nlimits: none\ntraffic: [{kind: chat, model: m, prompt: ${prompt}}]\nload: {${load}}\n`;

const tooLarge = (bound: number): string => `it is larger than ${bound} MiB, the most that is read`;

describe('a file that is too large ends in one sentence', () => {
  it.each([
    ['prompts in JSON lines', 'p.jsonl', scenario('{file: p.jsonl}'), tooLarge(511)],
    ['prompts in a table', 'p.csv', scenario('{file: p.csv}'), tooLarge(511)],
    ['conversations', 'p.json', scenario('{file: p.json}'), tooLarge(511)],
    ['a tokenizer', 'p.json', scenario('{tokens: 9, tokenizer: p.json}'), tooLarge(64)],
    [
      'a trace',
      'p.jsonl',
      scenario('{tokens: 9}', 'kind: trace, file: p.jsonl'),
      'without the end of a line',
    ],
  ])('where it holds %s', async (_, name, text, reason) => {
    const folder = await tempFolder();
    await sparse(folder, name, 600 * mebibyte, '{"prompt":"hi"}\n');
    const file = join(folder, 's.yaml');
    await writeFile(file, text);
    const { code, stderr } = await weir(['validate', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/ERR_|Invalid string|a bug in/);
  });

  it.each([
    ['a scenario', ['validate'], 's.yaml', 3 * gibibyte, 64],
    ['a scenario in JSON', ['plan'], 's.json', 600 * mebibyte, 64],
    ['a result', ['report'], 'result.json', 600 * mebibyte, 511],
    ['a file of another tool', ['import'], 'targets.txt', 600 * mebibyte, 128],
  ])('where it is %s', async (_, verb, name, size, bound) => {
    const file = await sparse(await tempFolder(), name, size, '{"a":1}\n');
    const { code, stderr } = await weir([...verb, file]);
    expect(code).toBe(2);
    expect(stderr).toContain(tooLarge(bound));
    expect(stderr).not.toMatch(/ERR_|Invalid string|a bug in/);
  });

  it('where it is the checkpoint of a run', async () => {
    const folder = await tempFolder();
    await sparse(folder, 'checkpoint.jsonl', 600 * mebibyte, '{"a":1}\n');
    const { code, stderr } = await weir(['report', folder]);
    expect(code).toBe(2);
    expect(stderr).toContain(tooLarge(511));
    expect(stderr).not.toMatch(/ERR_|Invalid string|a bug in/);
  });
});

it.each([
  ['lists in YAML', 's.yaml', `x: ${'['.repeat(20_000)}`],
  ['mappings in YAML', 's.yaml', `x: ${'{a: '.repeat(20_000)}`],
  ['lists in JSON', 's.json', `{"x": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
])('what is nested too deep is refused in words: %s', async (_, name, text) => {
  const file = join(await tempFolder(), name);
  await writeFile(file, text);
  const { code, stderr } = await weir(['validate', file]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/nested too deep/);
  expect(stderr).not.toMatch(/Maximum call stack|a bug in/);
});
