import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { sweepReportSchema } from './model/sweep.ts';
import { publishSweep } from './sweep.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-swept-'));
});
afterAll(() => rm(folder, { recursive: true }));

let sweeps = 0;
const published = async (changes: object, plan: object = {}) => {
  const { host, printed, listed, said } = fakeHost();
  const path = join(folder, String((sweeps += 1)));
  const sweeping = {
    request: { repetitions: 2 },
    read: {
      variables: [{ path: 'load.users', values: ['1', '2'], isLoad: true }],
      points: [{ plan: samplePlan({ name: 'evening', ...plan }) }],
    },
    folder: await openOutputFolder(path, 'sweep', () => undefined),
    host,
    points: ['1', '2'].map((value) => ({ values: [value], runs: [], problems: ['no port'] })),
    stopped: null,
    partial: 'two runs in a row could not be made',
    ...changes,
  } as never;
  const exit = await publishSweep(sweeping);
  const report = sweepReportSchema.parse(
    JSON.parse(await readFile(join(path, 'sweep.json'), 'utf8')),
  );
  return { exit, report, printed: printed[0]!, listed, said };
};
const style = { colour: false, width: 120 };

it('a sweep is stored with its plan, and ends with its exit and headline', async () => {
  const objective = { text: 'errorRate < 5%' };
  const { exit, report, printed } = await published(
    {},
    { objectives: [objective], perRequest: [{ text: 'ttft < 1s' }] },
  );
  expect(exit).toBe('incomplete');
  expect(report).toMatchObject({
    format: 'sweep/1',
    name: 'evening',
    target: 'the reference gateway',
    seed: 42,
    repetitions: 2,
    objectives: ['errorRate < 5%', 'ttft < 1s'],
    partial: 'two runs in a row could not be made',
    variables: [{ path: 'load.users', values: ['1', '2'], isLoad: true }],
  });
  expect(report.points.map(({ values }) => values)).toEqual([['1'], ['2']]);
  const closing = printed.closing!(style);
  expect(closing).toMatch(/^✗ Exit \d+\. No point on the Pareto front: 0 of 2 points kept \(/);
  expect(closing.trim()).toMatch(/two runs in a row could not be made\)\.$/);
  expect(printed.isGood).toBe(false);
  expect(printed.text(style)).toContain('evening → the reference gateway: 2 points, 2 runs each');
});

it('a sweep that was stopped has the exit of the stop, and names all its targets', async () => {
  const named = (url: string | null) => ({
    name: String(url),
    target: url === null ? { kind: 'mock' } : { kind: 'url', url },
  });
  const { exit, report } = await published(
    { stopped: 'terminated' },
    { targets: [named('https://h/v1'), named(null)] },
  );
  expect(exit).toBe('terminated');
  expect(report.target).toBe('https://h/v1 and the reference gateway');
});
