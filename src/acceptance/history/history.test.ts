// @gate 1 s
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { historySchema } from '../../verbs/history/model/trend.ts';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  type FinishedProgram,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** A folder with a history, and `weir` with that history. */
const withHistory = async () => {
  const folder = await tempFolder();
  const place = join(folder, 'history.db');
  const env = { WEIR_HISTORY: place };
  return {
    folder,
    place,
    history: (...words: readonly string[]): Promise<FinishedProgram> =>
      weir(['history', ...words], env),
    compare: (...words: readonly string[]): Promise<FinishedProgram> =>
      weir(['compare', ...words, '--json', '--out', join(folder, 'compared')], env),
    /** Merges the slices of a sample result: a finished run that is valid even on a busy machine. */
    merge: async (
      out: string,
      day: number,
      ...words: readonly string[]
    ): Promise<FinishedProgram> => {
      const startedAt = `2026-07-0${day}T10:20:30.000Z`;
      const [{ result }] = sampleSide('a', 1, { seed: day }, { startedAt }).repetitions;
      const halves = [0, 1].map((index) => {
        const slices = result.slices.map((slice) => ({ ...slice, startedAt, index, count: 2 }));
        return tempFile(`slice-${index}.json`, JSON.stringify({ ...result, slices }));
      });
      const files = await Promise.all(halves);
      return weir(['merge', ...files, '--quiet', '--out', join(folder, out), ...words], env);
    },
  };
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

describe('the history', () => {
  it('lists every valid run by its plan, and names runs as a baseline for comparisons', async () => {
    const { folder, history, compare, merge } = await withHistory();
    const first = await merge('one', 1);
    expect(first.code, first.stderr).toBe(0);
    await merge('two', 2);
    const { trends } = historySchema.parse(JSON.parse((await history('--json')).stdout));
    expect(trends.map(({ runs }) => runs.map((run) => run.file))).toStrictEqual([
      [join(folder, 'one', 'result.json'), join(folder, 'two', 'result.json')],
    ]);
    expect((await history()).stdout).toContain('2 runs');
    expect((await history('--plan', 'other')).stderr).toContain(
      '--plan: expected a plan of the history, ',
    );
    expect((await history('baseline', 'main', '1')).stderr).toContain('main: run 1');
    expect((await history('baseline')).stdout).toContain('main');
    const misspelt = await history('baseline', 'mian');
    expect([misspelt.code, misspelt.stderr]).toEqual([
      2,
      expect.stringContaining('no baseline is called mian: did you mean "main"? There are main;'),
    ]);
    const compared = await compare('main', join(folder, 'two'));
    expect(compared.code, compared.stderr).toBe(0);
    expect(JSON.parse(compared.stdout)).toMatchObject({
      base: { name: 'main', runs: [{ file: join(folder, 'one', 'result.json') }] },
    });
    await merge('one', 3);
    expect((await compare('main', join(folder, 'two'))).stderr).toContain(
      'run 1 of the baseline main was overwritten: expected the run of 2026-07-01',
    );
    await rm(join(folder, 'one'), { recursive: true });
    expect((await compare('main', join(folder, 'two'))).stderr).toContain(
      'run 1 of the baseline main is gone',
    );
    expect((await history('baseline', 'main', '--delete')).code).toBe(0);
    expect((await compare('main', join(folder, 'two'))).stderr).toContain('main does not exist');
  });

  it('writes a page of trends that needs no other file', async () => {
    const { folder, history, merge } = await withHistory();
    await merge('one', 1);
    await merge('two', 1);
    const { code, stderr } = await history('--page');
    expect(code, stderr).toBe(0);
    const page = await readFile(join(folder, 'history.html'), 'utf8');
    expect(page).toContain('aria-label="chat-stream TTFT p50"');
    // Its only script changes the theme.
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toMatch(/default-src 'none'; script-src 'sha256-[^' ]+'; /);
  });

  it('is not written with --no-history', async () => {
    const { merge, place } = await withHistory();
    expect((await merge('one', 1, '--no-history')).code).toBe(0);
    expect(await isThere(place)).toBe(false);
  });

  it.each([
    [['baseline', 'a/b', '1'], 'baseline: expected a name of letters'],
    [['baseline', 'main', '7'], 'the history has no run 7'],
    [['baseline', '--delete'], 'expected the name of one baseline'],
    [['baseline', 'main', '--delete'], 'no baseline is called main'],
    [
      ['baseline', 'x'],
      'no baseline is called x: there is none yet; `weir history baseline x RUN…` names',
    ],
    [['--out', '/nonexist/x.html'], 'its folder does not exist: create it first'],
  ])('refuses %j and says why', async (words, message) => {
    const { history } = await withHistory();
    const { code, stderr } = await history(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is not kept if WEIR_HISTORY is off', async () => {
    expect((await weir(['history'])).stderr).toContain('no history is kept');
  });
});
