import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { readPlan } from '../../run/input/read-plan.ts';
import { type ReadSweep, readSweep, sourceOfRun, sweepPlanLines } from './sweep-points.ts';

const scenario = {
  name: 'swept',
  seed: 4,
  traffic: [{ kind: 'models' }],
  load: { kind: 'constant', rate: '1/s', duration: '1s' },
  warmUp: '0s',
};
const sourceFor = (changes: object = {}) => ({
  scenario: undefined,
  value: { ...scenario, ...changes },
  flags: {},
  set: [],
  target: 'http://127.0.0.1:9/v1',
});
const environment = { WEIR_API_KEY: 'none' };

const read = (
  vary: readonly string[],
  { repetitions = 1, answerTime = null as number | null, changes = {} } = {},
) =>
  readSweep(
    sourceFor(changes),
    {
      vary,
      repetitions,
      answerTime: (answerTime === null ? null : milliseconds(answerTime)) as never,
    },
    environment,
  );

/** A range of this many values. */
const values = (count: number): string => Array.from({ length: count }, (_, i) => i + 1).join();

describe('the points of a sweep', () => {
  it('are all combinations, of which the last variable changes fastest', async () => {
    const { variables, points, warnings } = await read(['load.rate=1/s,2/s', 'seed=7,8']);
    expect(variables).toEqual([
      { path: 'load.rate', values: ['1/s', '2/s'], isLoad: true },
      { path: 'seed', values: ['7', '8'], isLoad: false },
    ]);
    expect(points.map((point) => point.values)).toEqual([
      ['1/s', '7'],
      ['1/s', '8'],
      ['2/s', '7'],
      ['2/s', '8'],
    ]);
    expect(points.map(({ plan }) => plan.seed)).toEqual([7, 8, 7, 8]);
    expect(points.map(({ forecasts }) => forecasts.map(({ total }) => total.requests.sum))).toEqual(
      [[1], [1], [2], [2]],
    );
    expect(warnings).toEqual([]);
  });

  it('have a forecast for each repetition', async () => {
    const { points } = await read(['load.rate=1/s,2/s'], { repetitions: 3 });
    expect(points.map(({ forecasts }) => forecasts.length)).toEqual([3, 3]);
  });

  it('need a field to vary', async () => {
    await expect(read([])).rejects.toThrow(
      'a sweep needs a field to vary: add --vary load.users=1,2,4,8, or `vary: {load.users: [1, 2, 4, 8]}` to the scenario',
    );
  });

  it('are at most a thousand', async () => {
    const names = (count: number) => `name=${values(count)}`;
    await expect(read([`seed=${values(13)}`, names(77)])).rejects.toThrow(
      'the sweep has 1,001 points, one for each combination of values; expected at most 1,000',
    );
  });

  it('say all that is wrong with them, each thing once', async () => {
    const problem: unknown = await read(['load.rate=1/s,fast', 'seed=7,8']).catch(String);
    expect(problem).toContain('fast');
    const lines = String(problem).split('\n');
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('warn of objectives for which one of them has too few requests', async () => {
    const { warnings } = await read(['load.rate=1/s,2/s'], {
      changes: {
        objectives: ['endToEnd.p99 < 1s'],
        traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
      },
    });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "load.rate=1/s: The objective endToEnd.p99 < 1s cannot be decided: it needs 1,000 samples, and the plan gives at most 1. Lengthen the load or raise its rate, or set "minSamples".",
        "load.rate=2/s: The objective endToEnd.p99 < 1s cannot be decided: it needs 1,000 samples, and the plan gives at most 2. Lengthen the load or raise its rate, or set "minSamples".",
      ]
    `);
  });
});

describe('the runs of a sweep', () => {
  const planOf = async (sweep: ReadSweep, point: number, repetition: number, changes = {}) => {
    const source = sourceOfRun(sourceFor(changes), sweep, { point, repetition });
    const { name, seed } = (await readPlan(source, environment)).plan;
    return [name, seed];
  };

  it('have their own names and seeds', async () => {
    const sweep = await read(['load.rate=1/s,2/s']);
    expect(await planOf(sweep, 0, 0)).toEqual(['swept: load.rate=1/s', 5]);
    expect(await planOf(sweep, 1, 0)).toEqual(['swept: load.rate=2/s', 6]);
    expect(await planOf(sweep, 0, 1)).toEqual(['swept: load.rate=1/s', 7]);
    expect(await planOf(sweep, 1, 2)).toEqual(['swept: load.rate=2/s', 10]);
  });

  it('keep a name or a seed that is varied', async () => {
    const sweep = await read(['seed=7,9', 'name=a,b']);
    expect(await planOf(sweep, 0, 3)).toEqual(['a', 7]);
    expect(await planOf(sweep, 3, 3)).toEqual(['b', 9]);
  });

  it('have no longer names than a scenario may have', async () => {
    const changes = { name: 'n'.repeat(190) };
    const sweep = await read(['load.rate=1/s,2/s'], { changes });
    const [name] = await planOf(sweep, 0, 0, changes);
    expect(name).toBe(`${'n'.repeat(190)}: load.rat`);
  });
});

describe('what a sweep says before it begins', () => {
  it('of one run', async () => {
    const sweep = await read(['load.rate=1/s']);
    expect(sweepPlanLines(sweep, 1, milliseconds(20_000))).toMatchInlineSnapshot(`
      [
        "Sweep: 1 point, 1 run each",
        "  load.rate  1/s",
        "Budget: 1 request; tokens: 0 in, 0 out; cost: 0.000000; 1 s of load, and at most 30 s after each run for the last answers.",
      ]
    `);
  });

  it('of several runs with pauses, two variables and warnings', async () => {
    const sweep = await read(['load.rate=1/s,2/s', 'seed=7,8'], { repetitions: 2 });
    expect(
      sweepPlanLines({ ...sweep, warnings: ['Too few.', 'As well.'] }, 2, milliseconds(20_000)),
    ).toMatchInlineSnapshot(`
      [
        "Sweep: 2 × 2 = 4 points, 2 runs each, in random order (seed 7)",
        "  load.rate  1/s, 2/s",
        "  seed       7, 8",
        "Budget: 12 requests; tokens: 0 in, 0 out; cost: 0.000000; 2 min 28 s of load with pauses of 20 s, and at most 30 s after each run for the last answers.",
        "Too few.",
        "As well.",
      ]
    `);
  });

  it('of several runs without a pause', async () => {
    const sweep = await read(['load.rate=1/s,2/s']);
    expect(sweepPlanLines(sweep, 1, milliseconds(0))).toMatchInlineSnapshot(`
      [
        "Sweep: 2 points, 1 run each, in random order (seed 4)",
        "  load.rate  1/s, 2/s",
        "Budget: 3 requests; tokens: 0 in, 0 out; cost: 0.000000; 2 s of load, and at most 30 s after each run for the last answers.",
      ]
    `);
  });

  it('of users that wait for answers, with a price and the longest grace', async () => {
    const sweep = await read(['load.users=1,2', 'grace=2s,9s,4s'], {
      answerTime: 250,
      changes: {
        load: { kind: 'closed', users: 1, duration: '1s' },
        traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
        prices: { m: { input: 150_000, output: 2 } },
      },
    });
    expect(sweepPlanLines(sweep, 1, milliseconds(0))).toMatchInlineSnapshot(`
      [
        "Sweep: 2 × 3 = 6 points, 1 run each, in random order (seed 4)",
        "  load.users  1, 2",
        "  grace       2s, 9s, 4s",
        "Budget: about 36 requests, if an answer takes 250 ms; tokens: about 36 in, about 144 out; cost: about 5.400288; 6 s of load, and at most 9 s after each run for the last answers.",
      ]
    `);
  });
});
