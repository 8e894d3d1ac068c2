import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { coordinate, defineScenario, work } from '../../library/library.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (target: string) =>
  defineScenario({
    name: 'shared',
    target,
    traffic: [{ kind: 'models' }],
    load: { kind: 'constant', rate: '20/s', duration: '6s' },
    limits: { requestsPerMinute: 'none', tokensPerMinute: 'none' },
  });

const meeting = async () => {
  const folder = pathToFileURL(await tempFolder()).href;
  return { rendezvous: folder, wait: 20_000, environment: { WEIR_API_KEY: 'sk-weir-test' } };
};

describe('the library', () => {
  it('leads the workers of one load to one report, with the progress of all', async () => {
    const mock = await openMock({ limits: { requestsPerMinute: null } });
    const meet = await meeting();
    const seen: number[] = [];
    const [report, ...workers] = await Promise.all([
      coordinate(scenario(mock.url), {
        ...meet,
        slices: 2,
        onProgress: ({ due }) => seen.push(due),
      }),
      work({ ...meet, slice: { index: 1, count: 2 }, keyCheck: false }),
      work({ ...meet, keyCheck: false }),
    ]);
    expect(workers).toEqual([0, 1].map(() => ({ complete: true, warnings: [] })));
    expect(report.summary.counts).toMatchObject({ due: 120, completed: 120 });
    expect((await countersOf(mock))['completed']).toBe(120);
    expect(report.result.slices).toHaveLength(2);
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it('rejects, and sends nothing, where nobody comes or a number makes no sense', async () => {
    const meet = { ...(await meeting()), wait: 1000 };
    const alone = coordinate(scenario('mock'), { ...meet, slices: 2 });
    await expect(alone).rejects.toThrow(/0 of 2 workers came within 1 s.*Nothing was sent/);
    await expect(work(meet)).rejects.toThrow(/no coordinator came to file:/);
    await expect(coordinate(scenario('mock'), { ...meet, slices: 0 })).rejects.toThrow(
      'slices: expected a whole number from 1 on, got 0',
    );
  });
});
