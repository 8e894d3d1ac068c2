import { describe, expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, toResult } from '../../record/tally.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { closeMeeting, LedRun, openMeeting, removeAbandoned } from './lead-run.ts';
import {
  coordinatorRecord,
  memoryRendezvous,
  saidIn,
  sampleRun,
  workerRecord,
} from './memory-rendezvous.fixture.ts';
import { keysOf, runKey, type WorkerRecord } from './model/records.ts';

const keys = keysOf('r');

const resultOf = (index: number): Result =>
  toResult(emptyTally(samplePlan()), sampleFacts([{ index, count: 2 }]));

/** A run of two slices, and what their workers do. */
const lead = (silence = 10_000) => {
  const place = memoryRendezvous();
  const led = new LedRun(place.rendezvous, sampleRun({ silence }));
  const report = (slice: number, changes: Partial<WorkerRecord>): void => {
    place.records.set(keys.worker(slice), JSON.stringify(workerRecord(changes)));
  };
  const handOver = async (slice: number, content: unknown): Promise<void> => {
    const bytes = new TextEncoder().encode(JSON.stringify(content));
    const digest = await place.rendezvous.store(keys.result(slice), bytes);
    report(slice, { beat: 5, phase: 'ended', result: { digest, isWhole: true } });
  };
  return { ...place, led, report, handOver, said: () => saidIn(place.records) };
};

describe('a coordinator', () => {
  it('says at once that it is there, and after that only news', async () => {
    const { led, said } = lead();
    await led.turn();
    expect(said()).toEqual(coordinatorRecord());
    await led.turn();
    expect(said()?.beat).toBe(1);
    led.begin(5000);
    await led.turn();
    expect(said()).toMatchObject({ beat: 2, startAt: 5000 });
  });

  it('has started once it has named the start', () => {
    const { led } = lead();
    expect(led.hasStarted).toBe(false);
    led.begin(1);
    expect(led.hasStarted).toBe(true);
  });

  it('asks to stop once, and then to abort; it takes neither back', async () => {
    const { led, said } = lead();
    led.stop(1);
    await led.turn();
    expect(said()).toMatchObject({ beat: 1, stops: 1 });
    led.stop(1);
    await led.turn();
    expect(said()?.beat).toBe(1);
    led.stop(2);
    led.stop(1);
    await led.turn();
    expect([led.stops, said()?.stops]).toEqual([2, 2]);
  });

  it('takes the result of each slice once, and says so', async () => {
    const { led, said, handOver, records } = lead();
    await handOver(1, resultOf(1));
    await led.turn();
    expect(led.results.get(1)).toMatchObject({ runId: 'run' });
    expect(led.slices.map(({ isCollected }) => isCollected)).toEqual([false, true]);
    await led.turn();
    expect(said()).toMatchObject({ beat: 2, collected: [1] });
    records.delete(keys.result(1));
    await led.turn();
    expect(said()?.beat).toBe(2);
    expect([...led.results.keys()]).toEqual([1]);
  });

  it.each([
    ['of another slice', resultOf(0)],
    ['that is no result', { format: 'odd' }],
  ])('takes no result %s', async (_, content) => {
    const { led, handOver } = lead();
    await handOver(1, content);
    await led.turn();
    expect(led.results.size).toBe(0);
    expect(led.slices.map(({ isCollected }) => isCollected)).toEqual([false, false]);
  });

  it('goes on when the rendezvous is away, and says its news when it is back', async () => {
    const { led, said, setAway, report } = lead();
    setAway(true);
    await led.turn();
    setAway(false);
    expect(said()).toBeNull();
    report(0, { phase: 'ready' });
    await led.turn();
    expect(said()?.beat).toBe(2);
    expect(led.slices[0]?.record?.phase).toBe('ready');
  });

  it('informs a worker that its slice is lost', async () => {
    const { led, said, report } = lead();
    led.begin(1);
    report(1, { phase: 'failed', message: 'no memory' });
    await led.turn();
    await led.turn();
    expect(led.slices[1]?.lost).toMatchObject({ why: 'no memory' });
    expect(said()).toMatchObject({ lost: [1], collected: [] });
  });
});

describe.concurrent('a meeting', () => {
  it('has one coordinator, and is empty after it', async () => {
    const { rendezvous, records } = memoryRendezvous();
    await openMeeting(rendezvous, sampleRun());
    await expect(openMeeting(rendezvous, sampleRun({ id: 'second' }))).rejects.toThrow(
      'another coordinator came first to memory',
    );
    await closeMeeting(rendezvous, sampleRun({ id: 'second' }));
    expect(JSON.parse(records.get(runKey)!)).toMatchObject({ id: 'r' });
    await closeMeeting(rendezvous, sampleRun());
    expect(records.size).toBe(0);
  });

  it('whose place is away is left as it is', async () => {
    const { rendezvous, records, setAway } = memoryRendezvous();
    await openMeeting(rendezvous, sampleRun());
    setAway(true);
    await closeMeeting(rendezvous, sampleRun());
    expect(records.size).toBe(1);
  });

  it('that nobody has opened has nothing to remove', async () => {
    const { rendezvous } = memoryRendezvous();
    const said: string[] = [];
    await removeAbandoned(rendezvous, (text) => said.push(text));
    expect(said).toEqual([]);
  });

  it('of another version is removed at once', async () => {
    const { rendezvous, records } = memoryRendezvous();
    records.set(runKey, '{"format":"rendezvous/9"}');
    const said: string[] = [];
    await removeAbandoned(rendezvous, (text) => said.push(text));
    expect(said).toEqual(['a run of another version was abandoned, and is removed.']);
    expect(records.size).toBe(0);
  });

  it('whose coordinator gives no sign of life is removed', async () => {
    const { rendezvous, records } = memoryRendezvous();
    await openMeeting(rendezvous, sampleRun({ silence: 1 }));
    records.set(keys.coordinator, JSON.stringify(coordinatorRecord()));
    const said: string[] = [];
    await removeAbandoned(rendezvous, (text) => said.push(text));
    expect(said).toEqual([
      'the run shared is in the rendezvous; waiting 1 ms for a sign of life.',
      'the run shared was abandoned, and is removed.',
    ]);
    expect(records.size).toBe(0);
  });

  it('whose coordinator is alive is left alone', async () => {
    const { rendezvous, records } = memoryRendezvous();
    await openMeeting(rendezvous, sampleRun({ silence: 60_000 }));
    let beat = 0;
    const alive = {
      ...rendezvous,
      get: (key: string): Promise<string | null> => {
        beat += 1;
        return key === keys.coordinator
          ? Promise.resolve(JSON.stringify(coordinatorRecord({ beat })))
          : rendezvous.get(key);
      },
    };
    await expect(removeAbandoned(alive, () => undefined)).rejects.toThrow(
      'the run shared is in progress at memory: wait for its end, or give another rendezvous',
    );
    expect(records.size).toBe(1);
  });
});
