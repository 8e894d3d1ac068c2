import { describe, expect, it } from 'vitest';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import type { startThread } from '../../platform/process/thread.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { readyTarget } from '../target/ready-target.fixture.ts';
import { createSnapshotPace } from '../watch/snapshot-pace.ts';
import { collectLiveFigures } from '../watch/live-display.ts';
import { openWorkerPool } from './worker-pool.ts';
import type { FromWorker, ToWorker, WorkerSetup, WorkerUpdate } from './worker-pool-plan.ts';

/** The pool sends and receives messages; the threads are of the test, and send what it says. */

interface FakeThread {
  readonly setup: WorkerSetup;
  readonly posted: ToWorker[];
  readonly says: (message: FromWorker) => void;
  /** Ends the thread for this reason. */
  readonly ends: (reason: string | null) => void;
  terminated: number;
}

const fakeThreads = (
  begin: (thread: FakeThread) => void = ({ says }) => says({ kind: 'ready' }),
) => {
  const threads: FakeThread[] = [];
  const start = ((entry: URL, setup: WorkerSetup, onMessage: (message: unknown) => void) => {
    expect(entry.pathname).toMatch(/\/run\/workers\/worker\.ts$/);
    const posted: ToWorker[] = [];
    const { promise: ended, resolve: ends } = Promise.withResolvers<string | null>();
    const thread: FakeThread = { setup, posted, says: onMessage, ends, terminated: 0 };
    threads.push(thread);
    queueMicrotask(() => begin(thread));
    return {
      post: (message: ToWorker) => void posted.push(message),
      ended,
      end: async () => {
        thread.terminated += 1;
      },
    };
  }) as unknown as typeof startThread;
  return { threads, start };
};

const speech = { kind: 'clip', name: 'one' };
const clip = { name: 'one' };
const plan = (() => {
  const sample = samplePlan();
  const [stage] = sample.stages;
  const uploads = { kind: 'transcription', clips: [speech] };
  return {
    ...sample,
    stages: [{ ...stage!, traffic: [...stage!.traffic, uploads] }],
  } as never as typeof sample;
})();
const options = {
  plan,
  slice: { index: 1, count: 2 },
  runId: 'run',
  credentials: [{ name: 'main', weight: 1, value: 'sk-main' }],
  targets: [{ auth: undefined, headers: {} }],
  userAgent: 'weir/test',
  clips: { clipsOf: (source: unknown) => (source === speech ? [clip] : []) },
  workload: {},
  redact: (text: string) => text.replaceAll('sk-main', '***'),
} as never as SliceOptions;
const one = readyTarget('http://one/v1', { secrets: ['sk-main'] });
const targets = {
  targets: [one, readyTarget('http://two/v1')],
  baseUrl: 'a http://one/v1, b http://two/v1',
  secrets: ['sk-main'],
  notes: ['a note'],
} as never as Parameters<typeof openWorkerPool>[1];
const poolPlan = {
  workers: 3,
  baseFolder: '/scenarios',
  reporting: { lines: true, requests: 'csv', observations: false },
  pace: createSnapshotPace(),
  canary: { port: 4, streams: 1, transport: 'socket' },
} as const;
const open = (start: typeof startThread) => openWorkerPool(options, targets, poolPlan, start);

const updateOf = (due: number, inFlight: number): WorkerUpdate => ({
  kind: 'update',
  progress: { due, inFlight, endedBefore: instant(due * 10) },
  figures: collectLiveFigures().take(),
  observationLines: [],
  requestLines: [],
  checkpointLines: [],
  observations: [],
});
/** The last message of a worker that saw one request, due at this second. */
const overOf = (
  index: number,
  second: number,
  differing: Partial<Extract<FromWorker, { kind: 'over' }>> & { readonly notes?: string[] } = {},
): FromWorker => {
  const { notes = [], ...more } = differing;
  const tally = emptyTally(samplePlan());
  recordObservation(tally, answeredChat(second * 1000, 100));
  const facts = sampleFacts([{ index, count: 6 }], {
    scheduled: milliseconds(second * 1000),
    notes,
  });
  return {
    kind: 'over',
    result: toResult(tally, facts),
    cut: false,
    spent: null,
    lostLease: false,
    ...more,
  };
};
const begun = async () => {
  const { threads, start } = fakeThreads();
  const pool = await open(start);
  const updates: WorkerUpdate[] = [];
  const moment = { startedAt: '2026-07-01T10:20:30.000Z', machineZero: 12 };
  const running = pool.begin(moment, (update) => void updates.push(update));
  return { threads, pool, updates, moment, running };
};

describe('the pool of workers', () => {
  it('gives each worker its part of the slice, and the same of all else', async () => {
    const { threads, start } = fakeThreads();
    await open(start);
    expect(threads.map(({ setup }) => setup.slice)).toEqual([
      { index: 1, count: 6 },
      { index: 3, count: 6 },
      { index: 5, count: 6 },
    ]);
    const [{ slice: _, ...first }, ...others] = threads.map(({ setup }) => setup) as [
      WorkerSetup,
      ...WorkerSetup[],
    ];
    for (const { slice: __, ...other } of others) expect(other).toEqual(first);
    const { options: shared, ...rest } = first;
    const { sharedBudget, ...own } = shared;
    expect(sharedBudget?.slice).toEqual({ index: 1, count: 2 });
    expect(own).toEqual({
      plan,
      runId: 'run',
      credentials: options.credentials,
      targets: options.targets,
      userAgent: 'weir/test',
    });
    expect(threads[2]!.setup.options.sharedBudget).toBe(sharedBudget);
    expect(rest).toEqual({
      baseFolder: '/scenarios',
      reporting: poolPlan.reporting,
      pace: poolPlan.pace,
      machine: thisMachine(),
      notes: ['a note'],
      canary: poolPlan.canary,
      secrets: ['sk-main'],
      clips: new Map([[JSON.stringify(speech), [clip]]]),
      targetAddresses: targets.targets.map(({ baseUrl, wire, certificates }) => ({
        baseUrl,
        wire,
        certificates,
      })),
      baseUrl: 'a http://one/v1, b http://two/v1',
    });
  });

  it('passes a new key, a stop and the end of the load on to all workers', async () => {
    const { threads, pool, moment, running } = await begun();
    pool.renewKey(1, 'sk-new');
    running.stop(milliseconds(70));
    running.endLoad();
    for (const { posted } of threads)
      expect(posted).toEqual([
        { kind: 'begin', ...moment },
        { kind: 'key', index: 1, value: 'sk-new' },
        { kind: 'stop', grace: 70 },
        { kind: 'end' },
      ]);
    await pool.close();
    expect(threads.map(({ terminated }) => terminated)).toEqual([1, 1, 1]);
  });

  it('hands updates on once it has begun, and adds up the progress', async () => {
    const { threads, start } = fakeThreads();
    const pool = await open(start);
    threads[0]!.says(updateOf(1, 1));
    const updates: WorkerUpdate[] = [];
    const running = pool.begin(
      { startedAt: '', machineZero: 0 },
      (each) => void updates.push(each),
    );
    const later = [updateOf(5, 2), updateOf(7, 3)];
    threads[0]!.says(later[0]!);
    threads[2]!.says(later[1]!);
    expect(updates).toEqual(later);
    expect(running.progress()).toEqual({ due: 12, inFlight: 5, endedBefore: 0 });
  });

  it('ends when all workers have sent their results, which it joins', async () => {
    const { threads, pool, running } = await begun();
    threads[2]!.says(overOf(5, 9, { notes: ['one', 'two'] }));
    threads[0]!.says(overOf(1, 12, { spent: 'tokens', notes: ['two', 'three'] }));
    threads[1]!.says(overOf(3, 7));
    expect(await running.done).toEqual({
      loadEnded: 12_000,
      stopped: false,
      spent: 'tokens',
      lostLease: false,
      notes: ['two', 'three', 'one'],
    });
    const { slices, workerResults, lostSlices } = pool.end();
    expect(slices.map(({ index }) => index)).toEqual([1, 3, 5]);
    expect(workerResults.map(({ scheduled }) => scheduled)).toEqual([12_000, 7000, 9000]);
    expect(lostSlices).toEqual([]);
  });

  it('is stopped, or has lost its lease, as soon as one worker was or has', async () => {
    const endOf = async (differing: Parameters<typeof overOf>[2]) => {
      const { threads, running } = await begun();
      for (const [place, { says }] of threads.entries())
        says(overOf(place, 5, place === 1 ? differing : {}));
      const { stopped, lostLease, spent } = await running.done;
      return { stopped, lostLease, spent };
    };
    const none = { stopped: false, lostLease: false, spent: null };
    expect(await endOf({})).toEqual(none);
    expect(await endOf({ cut: true })).toEqual({ ...none, stopped: true });
    expect(await endOf({ lostLease: true })).toEqual({ ...none, lostLease: true });
  });

  it('goes on without a worker that crashed, whose part it calls lost, without secrets', async () => {
    const { threads, pool, running } = await begun();
    threads[0]!.ends('Error: sk-main is no number');
    threads[1]!.says(overOf(3, 7));
    threads[1]!.ends(null);
    threads[2]!.ends(null);
    expect(await running.done).toMatchObject({ loadEnded: 7000, stopped: false });
    const { slices, workerResults, lostSlices } = pool.end();
    expect([slices.length, workerResults.length]).toEqual([1, 1]);
    expect(lostSlices).toEqual([
      'worker 1/6 crashed (Error: *** is no number), and what its slice had measured is lost',
      'worker 5/6 crashed (it ended unexpectedly), and what its slice had measured is lost',
    ]);
    expect(running.progress()).toEqual({ due: 0, inFlight: 0 });
  });

  it('fails if all workers have crashed', async () => {
    const { threads, running } = await begun();
    for (const { ends } of threads) ends('why');
    await expect(running.done).rejects.toThrow(
      [1, 3, 5]
        .map((index) => `worker ${index}/6 crashed (why), and what its slice had measured is lost`)
        .join('; '),
    );
  });

  it.each([
    ['no memory', 'no memory'],
    [null, 'no reason'],
  ])('ends the others if one cannot start: %s', async (reason, text) => {
    const { threads, start } = fakeThreads((thread) => {
      if (thread.setup.slice.index === 3) thread.ends(reason);
      else thread.says({ kind: 'ready' });
    });
    await expect(open(start)).rejects.toThrow(`a worker could not start: ${text}`);
    expect(threads.map(({ terminated }) => terminated)).toEqual([1, 0, 1]);
  });
});
