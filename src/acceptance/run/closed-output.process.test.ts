import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startProgram, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const launcher = fileURLToPath(new URL('../../cli/weir.js', import.meta.url));

it('a reader of both streams that leaves after a line costs a run neither its exit code nor its tidiness', async () => {
  const out = await tempFolder();
  const words = '--target mock --model weir/small --rate 5/s --duration 1s --max-tokens 3';
  const run = `"${process.execPath}" "${launcher}" run ${words} --out "${out}" 2>&1`;
  const { code } = await startProgram(['bash', '-c', `set -o pipefail; ${run} | head -n 1`], {
    PATH: process.env['PATH'],
    CI: 'true',
    WEIR_HISTORY: 'off',
  }).ended;
  // A machine that is too busy is told all the same.
  expect([0, 12]).toContain(code);
  expect((await readdir(out)).toSorted()).toStrictEqual(['report.html', 'result.json']);
});
