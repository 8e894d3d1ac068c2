import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { type Result, resultSchema } from '../../model/result/result.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { exitOf, readObservations, resultIn, skipIfInvalid } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  type FinishedProgram,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (
  objectives: string,
  more = 'load: { kind: constant, rate: 40/s, duration: 1s }',
) =>
  `traffic:
  - { kind: chat-stream, model: weir/small, prompt: Say yes., maxTokens: 4 }
${more}
grace: 5s
mock: { ttft: 20ms, gap: 2ms }
${objectives}
`;

interface FinishedRun extends FinishedProgram {
  readonly out: string;
  readonly result: Result;
}

const runWeir = async (
  text: string,
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<FinishedRun> => {
  const out = await tempFolder();
  const path = await tempFile('gate.yaml', text);
  const ended = await weir(['run', path, '--out', out, ...words], environment);
  return { ...ended, out, result: await resultIn(out) };
};

describe('a run with objectives', () => {
  it('exits with 0 when it keeps them all', async (context) => {
    const text = scenario('objectives: [ttft.p50 < 5s, errorRate < 1%, completed >= 40]');
    const { code, result } = await runWeir(text);
    expect(code).toBe(exitOf(result, 0));
    skipIfInvalid(context, result);
    const kept = { ruling: 'pass', grounds: 'kept' };
    expect(result.verdicts).toMatchObject([kept, kept, kept]);
  });

  it.for<[string, string, object[]]>([
    [
      'breaks one',
      '[errorRate < 1%, ttft.p50 < 1ms]',
      [{ grounds: 'kept' }, { grounds: 'broken' }],
    ],
    ['has too few samples for one', '[ttft.p95 < 10s]', [{ grounds: 'no-data', n: 40 }]],
    // An answer of one token has no time per output token.
    ['has no samples for one', '[tpot.max < 10s]', [{ grounds: 'no-data', n: 0, observed: null }]],
    [
      'never gets a figure of the server for one',
      '[server.cacheUse.max < 90%]\nserver: { metrics: /metrics }',
      [{ ruling: 'inconclusive', grounds: 'never-given', n: 0, observed: null }],
    ],
  ])('exits with 10 when it %s', async ([, objectives, verdicts], context) => {
    const text = scenario(`objectives: ${objectives}`).replace('maxTokens: 4', 'maxTokens: 1');
    const { code, result } = await runWeir(text);
    expect(code).toBe(exitOf(result, 10));
    skipIfInvalid(context, result);
    expect(result.verdicts).toMatchObject(verdicts);
  });

  it.for([
    ['and leaves out the 429s of the declared limit', 20, 'kept', 0],
    ['and counts the 429s of a limit that is lower than the declared one', 1000, 'broken', 10],
  ] as const)('is meant to meet 429s, %s', async ([, declared, grounds, exit], context) => {
    const text = `traffic:
  - { kind: chat-stream, model: weir/small, prompt: Say yes., maxTokens: 4 }
load: { kind: constant, rate: 40/s, duration: 2s }
limits: { requestsPerMinute: ${declared}, tokensPerMinute: none }
mock: { ttft: 20ms, gap: 2ms, limits: { requestsPerMinute: 20 } }
objectives:
  - { objective: e2e.p95 < 5s, minSamples: 10, severity: warn }
  - { objective: e2e.p95 < 5s, minSamples: 10, quota: excluded }
  - { objective: 'e2e.p95{quota=excluded} < 1ms', minSamples: 10, severity: warn }
  - errorRate{quota=excluded} <= 0%
  - limited{quota=excluded} <= 0
`;
    const { code, result } = await runWeir(text);
    expect(code).toBe(exitOf(result, exit));
    skipIfInvalid(context, result);
    expect(result.verdicts).toMatchObject([
      { grounds: 'broken', observed: null, n: 80 },
      { grounds, n: declared === 20 ? 20 : 80, excluded: declared === 20 ? 60 : 0 },
      { grounds: 'broken', observed: declared === 20 ? expect.any(Number) : null },
      { grounds },
      { grounds },
    ]);
  });

  it('exits with 13 if strict and too short to be sure, and its result reported again with 0', async (context) => {
    const { code, out, result } = await runWeir(scenario('objectives: [ttft.p50 < 5s]'), [
      '--strict',
    ]);
    expect(code).toBe(exitOf(result, 13));
    skipIfInvalid(context, result);
    expect(result.verdicts).toMatchObject([{ ruling: 'inconclusive', grounds: 'unsure' }]);
    expect((await weir(['report', out, '--strict'])).code).toBe(13);
    expect((await weir(['report', out])).code).toBe(0);
  });

  it('exits with 0 when it breaks an objective that only warns', async (context) => {
    const objectives = 'objectives: [{ objective: ttft.p50 < 1ms, severity: warn }]';
    const { code, result } = await runWeir(scenario(objectives));
    expect(code).toBe(exitOf(result, 0));
    skipIfInvalid(context, result);
    expect(result.verdicts).toMatchObject([{ ruling: 'fail', grounds: 'broken' }]);
  });

  it('exits with 15 if every request of the whole load failed, regardless of its objectives', async () => {
    const mock = await openMock();
    for (const objectives of ['', 'objectives: [errorRate < 1%]', 'objectives: [refused > 1]']) {
      const { code, result } = await runWeir(
        scenario(objectives),
        ['--target', mock.url, '--no-key-check', '--no-early-stop'],
        {
          WEIR_API_KEY: 'sk-wrong-key',
        },
      );
      expect(code).toBe(exitOf(result, 15));
    }
  });

  it('sends nothing if a measure is misspelled, and exits with 2 and the place', async () => {
    const mock = await openMock();
    const out = join(await tempFolder(), 'out');
    const path = await tempFile('gate.yaml', scenario('objectives: [tfft.p95 < 800ms]'));
    const words = ['run', path, '--target', mock.url, '--out', out];
    const { code, stderr } = await weir(words, { WEIR_API_KEY: 'sk-weir-test' });
    expect(code).toBe(2);
    expect(stderr).toContain('gate.yaml:6:14: "tfft" is neither a measure nor a figure of the run');
    expect(stderr).toContain('did you mean "ttft"?');
    const counters = Object.values(await countersOf(mock));
    expect(counters.length).toBeGreaterThan(20);
    expect(Math.max(...counters)).toBe(0);
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('ends early when it breaks an objective that may end it', async (context) => {
    const load =
      'load: { kind: constant, rate: 20/s, duration: 60s }\nlimits: { requestsPerMinute: 15 }';
    const run = await runWeir(
      scenario('objectives: [{ objective: limitedRate < 10%, abort: { after: 1s } }]', load),
    );
    expect(run.result.scheduled).toBeLessThan(20_000);
    expect(run.result.breach).toMatchObject({ text: 'limitedRate < 10%' });
    expect(run.result.partial).toContain('since the objective limitedRate < 10% was broken');
    expect(run.stderr).toContain('ending: the objective limitedRate < 10% is broken');
    expect(run.code).toBe(exitOf(run.result, 10));
    skipIfInvalid(context, run.result);
  });

  it('reports the goodput over all arrivals that its observations give', async () => {
    const file = join(await tempFolder(), 'all.jsonl');
    const text = scenario(
      'perRequest: [ttft < 900ms, e2e < 60s]\nobjectives: [goodput >= 0%]\nlimits: { requestsPerMinute: 30 }',
    );
    // Some are limited, some are slow, and the rest is good.
    const slowHeads = ['--set', 'mock.faults=[{ fault: slow-head, every: 4 }]'];
    const { result } = await runWeir(text, ['--observations', file, ...slowHeads]);
    const good = (await readObservations(file)).filter(({ outcome, due }) => {
      if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream') return false;
      return (outcome.answer.firstToken ?? Infinity) - due < 900;
    }).length;
    expect(good).toBeGreaterThan(0);
    expect(good).toBeLessThan(sumOutcomes(result.groups).completed);
    expect(result.groups.reduce((sum, group) => sum + (group.good?.all ?? 0), 0)).toBe(good);
    expect(result.verdicts).toMatchObject([{ observed: (good / 40) * 100, n: 40 }]);
  });
});

describe('reports on demand', () => {
  it('are written where the options say, by a run and again from its result', async () => {
    const folder = await tempFolder();
    const files = ['junit.xml', 'figures.csv', 'summary.md'].map((name) => join(folder, name));
    const [junit = '', csv = '', summary = ''] = files;
    const words = ['--junit', junit, '--csv', csv, '--summary', summary];
    const page = await tempFile('page.md', 'an earlier step\n');
    const text = scenario('objectives: [ttft.p95 < 10s, errorRate < 1%]');
    const run = await runWeir(text, words, { GITHUB_STEP_SUMMARY: page });
    const written = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(written[0]).toContain('<testcase classname="objectives" name="ttft.p95 &lt; 10s"');
    expect(written[1]).toMatch(/^traffic,entry,measure,.*\r\nall,,offered,\/s,40,/);
    expect(run.stderr).not.toContain('overwritten');
    expect(written[2]).toMatch(/^## .* Weir: gate\n\n\*\*/);
    expect(await readFile(page, 'utf8')).toBe(`an earlier step\n${written[2]}`);
    const again = await weir(['report', join(run.out, 'result.json'), ...words, '--json', '-']);
    expect(again.code).toBe(run.code);
    for (const file of files) expect(again.stderr).toContain(`${file} is overwritten.`);
    expect(resultSchema.parse(JSON.parse(again.stdout))).toEqual(run.result);
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(written);
  });

  it('are refused before the load if they cannot be written, and leave nothing behind', async () => {
    const folder = await tempFolder();
    const out = join(folder, 'out');
    const junit = join(folder, 'no', 'junit.xml');
    const path = await tempFile('gate.yaml', scenario(''));
    const words = ['run', path, '--out', out, '--csv', join(folder, 'f.csv'), '--junit', junit];
    const { code, stderr } = await weir(words);
    expect(code).toBe(2);
    expect(stderr).toContain(`${junit} cannot be written`);
    expect(await readdir(folder)).toEqual([]);
  });
});
