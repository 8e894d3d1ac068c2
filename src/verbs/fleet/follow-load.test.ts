import { describe, expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { followStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import type { ProgressReport } from '../../run/input/run-report.ts';
import { type Coordination, followLoad, gatherWorkers } from './follow-load.ts';
import { awaitedSlice, type LedRun, type SliceState } from './lead-run.ts';
import { sampleRun, workerRecord } from './memory-rendezvous.fixture.ts';
import type { WorkerRecord } from './model/records.ts';

const slice = (
  index: number,
  changes: Partial<WorkerRecord>,
  more: Partial<SliceState> = {},
): SliceState => ({
  ...awaitedSlice(index),
  record: workerRecord({ host: `host-${index}`, ...changes }),
  ...more,
});

const collected = (
  index: number,
  isWhole = true,
  changes: Partial<WorkerRecord> = {},
): SliceState =>
  slice(
    index,
    { phase: 'ended', result: { digest: '', isWhole }, ...changes },
    { isCollected: true },
  );

/** A coordination whose slices are in these states, one list for each turn; the last list stays. */
const coordination = (
  states: readonly (readonly SliceState[])[],
  request: Partial<Coordination['request']> = {},
) => {
  const fake = fakeHost();
  const reports: ProgressReport[] = [];
  const stopped: number[] = [];
  let turn = -1;
  const led = {
    run: sampleRun({ slices: states[0]!.length }),
    slices: states[0],
    stops: 0,
    stop(times: number) {
      stopped.push(times);
      this.stops = times;
    },
    turn() {
      turn += 1;
      this.slices = states[Math.min(turn, states.length - 1)];
      return Promise.resolve();
    },
  };
  const stops = followStops(fake.host.onStop, () => undefined);
  const whole = {
    request: { wait: 60_000, onLost: 'stop', rendezvous: 'file:///shared', ...request },
    plan: samplePlan(),
    led: led as unknown as LedRun,
    host: fake.host,
    stops,
    onProgress: (progress: ProgressReport) => reports.push(progress),
  } as unknown as Coordination;
  return { ...fake, whole, reports, stopped };
};

// Each waits for a look or two of the coordinator.
describe.concurrent('a coordinator that gathers its workers', () => {
  it('names each when it is ready, with how far its clock is ahead', async () => {
    const ready = (index: number, offset: number): SliceState =>
      slice(index, { phase: 'ready', clock: { offset, uncertainty: 0.5 } });
    const { whole, said } = coordination([
      [ready(0, 1.2), awaitedSlice(1)],
      [ready(0, 1.2), ready(1, -2500)],
    ]);
    await gatherWorkers(whole);
    expect(said).toEqual([
      'Slice 0/2 is ready on host-0: clock +1.2 ms ± 0.5 ms',
      'Slice 1/2 is ready on host-1: clock −2.5 s ± 0.5 ms',
    ]);
  });

  it('waits no longer than it was asked to', async () => {
    const { whole } = coordination([[slice(0, { phase: 'ready' }), awaitedSlice(1)]], { wait: 0 });
    await expect(gatherWorkers(whole)).rejects.toThrow(
      '1 of 2 workers came within 0 s: start the others with weir worker --rendezvous file:///shared, or wait longer with --wait. Nothing was sent',
    );
  });

  it.each([
    [
      slice(1, { phase: 'failed', message: 'no such file' }),
      'slice 1/2 could not begin on host-1: no such file. Nothing was sent',
    ],
    [
      slice(1, {}, { lost: { at: 0, why: 'no sign of life for 10 s' } }),
      'slice 1/2 was lost before the load (no sign of life for 10 s). Nothing was sent',
    ],
  ])('ends when one of them cannot begin', async (state, message) => {
    const { whole } = coordination([[slice(0, { phase: 'ready' }), state]]);
    await expect(gatherWorkers(whole)).rejects.toThrow(message);
  });

  it('ends when it is stopped', async () => {
    const { whole, stop } = coordination([[awaitedSlice(0)]]);
    const gathering = gatherWorkers(whole);
    stop('SIGINT');
    await expect(gathering).rejects.toThrow(StoppedBeforeLoad);
  });
});

describe.concurrent('a coordinator that follows the load', () => {
  it('adds up the progress of all slices, and reports it once a second and at the end', async () => {
    const at = (elapsed: number, due: number, inFlight: number): Partial<WorkerRecord> => ({
      progress: {
        elapsed,
        due,
        inFlight,
        outcomes: { ...emptyOutcomeCounts(), completed: due - inFlight },
        latencies: { chat: [[20, due - inFlight]] },
      },
    });
    const { whole, reports } = coordination([
      [slice(0, at(1100, 10, 2)), slice(1, at(900, 5, 1))],
      [slice(0, at(1350, 11, 2)), slice(1, at(1150, 6, 1))],
      [slice(0, at(2050, 11, 1)), slice(1, at(2060, 8, 1))],
      [collected(0, true, at(2100, 12, 0)), collected(1, true, at(2100, 8, 0))],
    ]);
    expect(await followLoad(whole)).toBeNull();
    expect(reports).toMatchObject([
      { elapsed: 1100, due: 15, inFlight: 3, scheduled: 25_000 },
      { elapsed: 2060, due: 19, inFlight: 2, scheduled: 25_000 },
      { elapsed: 2100, due: 20, inFlight: 0, scheduled: 25_000 },
    ]);
    expect(reports[0]?.outcomes.completed).toBe(12);
  });

  it('stops the others when one is lost, and says which and why, once', async () => {
    const lost = slice(1, {}, { lost: { at: monotonicNow(), why: 'no sign of life for 10 s' } });
    const { whole, warned, stopped } = coordination([
      [slice(0, {}), lost],
      [slice(0, {}), lost],
      [collected(0), collected(1)],
    ]);
    expect(await followLoad(whole)).toBeNull();
    expect(warned).toEqual([
      'Slice 1/2 is lost: no sign of life for 10 s.',
      'The others stop, since slice 1/2 is lost (--on-lost degrade lets them go on).',
    ]);
    expect(stopped).toEqual([1]);
  });

  it('stops the others when one ended before its load did', async () => {
    const { whole, warned, stopped } = coordination([
      [slice(0, {}), collected(1, false)],
      [collected(0), collected(1, false)],
    ]);
    await followLoad(whole);
    expect(warned).toEqual(['The others stop, since slice 1/2 ended before its load did.']);
    expect(stopped).toEqual([1]);
  });

  it.each([collected(1, false), slice(1, {}, { lost: { at: monotonicNow(), why: 'gone' } })])(
    'lets the others go on with --on-lost degrade',
    async (state) => {
      const { whole, stopped } = coordination(
        [
          [slice(0, {}), state],
          [collected(0), collected(1)],
        ],
        { onLost: 'degrade' },
      );
      await followLoad(whole);
      expect(stopped).toEqual([]);
    },
  );

  it('passes the user’s stops on, and returns the first cause', async () => {
    const { whole, stop, said, stopped } = coordination([
      [slice(0, {})],
      [slice(0, {})],
      [collected(0)],
    ]);
    const following = followLoad(whole);
    await Promise.resolve();
    stop('SIGTERM');
    stop('SIGINT');
    expect(await following).toBe('SIGTERM');
    expect(stopped).toEqual([1, 2]);
    expect(said).toEqual(['stopping all slices; press Ctrl-C again to abort their requests']);
  });
});
