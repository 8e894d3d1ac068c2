import { expect, it } from 'vitest';
import type { Plan } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { wholeRunSlice } from '../../model/workload/arrival.ts';
import { bareRequest } from '../input/run-request.ts';
import { createSnapshotPace } from '../watch/snapshot-pace.ts';
import { planWorkerPool, rejectWorkers } from './worker-pool-plan.ts';

const pace = createSnapshotPace();
const planned = (changed: Partial<Plan>, more: object = {}, slice = wholeRunSlice) =>
  planWorkerPool(
    { plan: samplePlan(changed), folder: '/scenarios' } as never,
    slice,
    { ...bareRequest, ...more } as never,
    pace,
  );
const objective = (abortAfter: number | null) => ({ objectives: [{ abortAfter }] as never });
const none = { lines: false, requests: null, observations: false };

it('workers report only what the main thread needs of them', async () => {
  const two = { workers: 2 } as const;
  expect(await planned(two)).toEqual({
    workers: 2,
    baseFolder: '/scenarios',
    reporting: none,
    pace,
  });
  const metrics = (name: string) => ({
    metricsExport: { metrics: null, otlp: null, [name]: { port: 0 } },
  });
  const needs: readonly [Partial<Plan>, object, object][] = [
    [objective(null), {}, {}],
    [objective(0), {}, { observations: true }],
    [{ until: 'decided' }, {}, { observations: true }],
    [{}, metrics('metrics'), { observations: true }],
    [{}, metrics('otlp'), { observations: true }],
    [{}, { observations: 'o.jsonl' }, { lines: true }],
    [{}, { requests: 'r.csv' }, { requests: 'csv' }],
    [{}, { requests: 'r.parquet' }, { requests: 'parquet' }],
  ];
  for (const [plan, request, reporting] of needs)
    expect(await planned({ ...two, ...plan }, request)).toMatchObject({
      reporting: { ...none, ...reporting },
    });
});

it('one worker, a small load or a capture stays in the main thread', async () => {
  expect(await planned({ workers: 1 })).toBeNull();
  expect(await planned({ workers: 'auto' })).toBeNull();
  expect(await planned({ workers: 'auto' }, { capture: 'all' })).toBeNull();
  const [stage] = samplePlan().stages;
  const saturating = { ...stage!, load: { kind: 'saturate', connections: 2000 } as never };
  expect(await planned({ workers: 'auto', stages: [saturating] })).toBeNull();
  await expect(planned({ workers: 3 }, { capture: 'all' })).rejects.toThrow(
    'workers: --capture works only in the main thread, not in workers: expected 1 worker, got 3. Give --workers 1, or auto, which is 1 here',
  );
  expect(() => rejectWorkers({ workers: 1 }, 'it must')).not.toThrow();
  expect(() => rejectWorkers({ workers: 'auto' }, 'it must')).not.toThrow();
  expect(() => rejectWorkers({ workers: 2 }, 'it must')).toThrow('workers: it must: expected 1');
});

it('under a pace each worker of each slice has its share of the smallest limit', async () => {
  const shared = { tokens: null, window: milliseconds(60_000), margin: milliseconds(0) };
  const paced = (workers: number, requests: number | null, keys?: readonly number[]) => ({
    workers,
    pace: {
      ...shared,
      requests,
      charged: 'sent' as const,
      ...(keys && { keys: keys.map((each) => ({ requests: each, tokens: null })) }),
    },
  });
  const half = { index: 0, count: 2 };
  expect(await planned(paced(3, 6), {}, half)).toMatchObject({ workers: 3 });
  await expect(planned(paced(4, 7), {}, half)).rejects.toThrow(
    'workers: under a pace each worker holds its share of a key’s limits, and 7 requests cannot be shared by 8: expected at most 3. A pace',
  );
  await expect(planned(paced(2, 1), {}, half)).rejects.toThrow('expected at most 1.');
  expect(await planned(paced(1, 1), {}, half)).toBeNull();
  expect(await planned(paced(9, null))).toMatchObject({ workers: 9 });
  expect(await planned(paced(4, 99, [50, 4]))).toMatchObject({ workers: 4 });
  await expect(planned(paced(5, 99, [50, 4]))).rejects.toThrow('4 requests cannot be shared by 5');
});
