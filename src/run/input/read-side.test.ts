import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { checkDistinct, readSide } from './read-side.ts';

const options = { planHash: null, history: null };

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-side-'));
  const text = JSON.stringify(healthyResult());
  for (const name of ['series/10', 'series/2', 'series/1', 'single']) {
    await mkdir(join(root, name), { recursive: true });
    await writeFile(join(root, name, 'result.json'), text);
  }
  await mkdir(join(root, 'series/notes'));
  await mkdir(join(root, 'empty'));
});
afterAll(() => rm(root, { recursive: true }));

const filesOf = async (...names: readonly string[]): Promise<readonly string[]> => {
  const side = await readSide(
    names.map((name) => join(root, name)),
    options,
  );
  return side.repetitions.map(({ file }) => file.slice(root.length + 1));
};

it('a side is a file, the folder of a run, or a folder of such folders in the order of their numbers', async () => {
  expect(await filesOf('single/result.json')).toEqual(['single/result.json']);
  expect(await filesOf('single')).toEqual(['single/result.json']);
  expect(await filesOf('series')).toEqual([
    'series/1/result.json',
    'series/2/result.json',
    'series/10/result.json',
  ]);
  expect(await filesOf('single', 'series/2')).toEqual([
    'single/result.json',
    'series/2/result.json',
  ]);
});

it('a side has the names that it was given, and each run is judged', async () => {
  const { name, repetitions } = await readSide([join(root, 'single')], options);
  expect(name).toBe(join(root, 'single'));
  expect(repetitions[0].result.plan.name).toBe(healthyResult().plan.name);
  expect(repetitions[0].trust.level).toBe('valid');
});

it('what is missing, empty, or given twice is refused by name', async () => {
  await expect(filesOf('none')).rejects.toThrow(`${join(root, 'none')} does not exist`);
  await expect(filesOf('empty')).rejects.toThrow(`${join(root, 'empty')} contains no result.json`);
  await expect(readSide([], options)).rejects.toThrow(
    'expected at least one result to compare; got none',
  );
  const [one, other] = await Promise.all(
    ['series', 'series/2'].map((name) => readSide([join(root, name)], options)),
  );
  expect(() => checkDistinct(one!)).not.toThrow();
  expect(() => checkDistinct(one!, other!)).toThrow(
    `${join(root, 'series/2/result.json')} is listed twice: a run counts once, on one side`,
  );
});

it('a file is named before it is checked', async () => {
  const steps: string[] = [];
  const file = join(root, 'single/result.json');
  await readSide([file], { ...options, onStep: (step) => void steps.push(step) });
  expect(steps).toEqual([`checking ${file}`]);
});
