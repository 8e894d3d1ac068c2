import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { historySchema } from '../../verbs/history/model/trend.ts';
import { noiseSchema } from '../../verbs/compare/model/noise.ts';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import { exitOf, resultIn, skipIfInvalid } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  type FinishedProgram,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = `
name: short
traffic: [{ kind: models }]
load: { kind: constant, rate: 40/s, duration: 1s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
mock: { limits: { requestsPerMinute: none } }
`;

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

  it('lists a run of the real program if it is valid, and refuses a baseline of another plan before the load', async (context) => {
    const { folder, place, history, merge } = await withHistory();
    const file = await tempFile('s.yaml', scenario);
    const run = (...words: readonly string[]) =>
      weir(['run', file, '--quiet', '--out', join(folder, 'own'), ...words], {
        WEIR_HISTORY: place,
      });
    const { code } = await run();
    const result = await resultIn(join(folder, 'own'));
    expect(code).toBe(exitOf(result, 0));
    const { trends } = historySchema.parse(JSON.parse((await history('--json')).stdout));
    await merge('one', 1);
    await history('baseline', 'main', join(folder, 'one'));
    const refused = await run('--baseline', 'main');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('the plan differs (its hash)');
    if (code === 12) expect(trends).toEqual([]);
    skipIfInvalid(context, result);
    const own = join(folder, 'own', 'result.json');
    expect(trends).toMatchObject([{ plan: 'short', runs: [{ file: own }] }]);
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

  it('does not fail a run if it is broken or locked; a note says so', async () => {
    const broken = await withHistory();
    await writeFile(broken.place, 'no database at all '.repeat(100));
    const ended = await broken.merge('one', 1);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('This run is not in the history: ');
    expect((await broken.history()).code).toBe(2);

    const locked = await withHistory();
    const holder = new DatabaseSync(locked.place);
    holder.exec('BEGIN EXCLUSIVE');
    const second = await locked.merge('one', 1);
    holder.close();
    expect(second.code).toBe(0);
    expect(second.stderr).toContain('database is locked');
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

describe('weir run --repeat N --self', () => {
  it('measures the noise of its runs, and writes one summary to the job’s page', async () => {
    const folder = await tempFolder();
    const page = join(folder, 'page.md');
    const file = await tempFile('s.yaml', scenario);
    const words = ['--repeat', '4', '--self', '--allow-different', '--no-history'];
    const { code, stderr } = await weir(
      ['run', file, '--quiet', '--out', join(folder, 'noise'), ...words],
      { GITHUB_STEP_SUMMARY: page },
    );
    expect(code, stderr).toBe(0);
    const noise = noiseSchema.parse(
      JSON.parse(await readFile(join(folder, 'noise', 'noise.json'), 'utf8')),
    );
    expect(noise.runs).toHaveLength(4);
    expect(noise.metrics.map(({ id }) => id)).toContain('models endToEnd.p50');
    const text = await readFile(page, 'utf8');
    expect(text.match(/^## /gm)).toHaveLength(1);
    expect(text).toMatch(/^## Weir: Noise of short/);
    const again = await weir([
      'compare',
      '--self',
      join(folder, 'noise'),
      '--allow-different',
      '--json',
      '--out',
      join(folder, 'again'),
    ]);
    expect(noiseSchema.parse(JSON.parse(again.stdout)).metrics).toStrictEqual(noise.metrics);
    expect((await weir(['run', file, '--self'])).stderr).toContain(
      '--self: expected at least 4 runs',
    );
    expect(
      (await weir(['run', file, '--repeat', '4', '--self', '--baseline', 'y'])).stderr,
    ).toContain('expected nothing else to compare with');
  });
});
