import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import {
  cleanUpAfterEach,
  launcher,
  startProgram,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

it('a run keeps its exit code and its files when the reader of its output leaves after one line', async () => {
  const out = await tempFolder();
  const words = '--target mock --model weir/small --rate 5/s --duration 1s --max-tokens 3';
  const run = `"${process.execPath}" "${launcher}" run ${words} --out "${out}" 2>&1`;
  const { code } = await startProgram(['bash', '-c', `set -o pipefail; ${run} | head -n 1`], {
    PATH: process.env['PATH'],
    CI: 'true',
    WEIR_HISTORY: 'off',
  }).ended;
  expect(code).toBe(exitOf(await resultIn(out), 0));
  expect((await readdir(out)).toSorted()).toStrictEqual(['report.html', 'result.json']);
});
