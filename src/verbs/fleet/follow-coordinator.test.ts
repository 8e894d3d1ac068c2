import { describe, expect, it } from 'vitest';
import { monotonicNow } from '../../platform/host/clock.ts';
import type { StopCause } from '../../run/input/host.ts';
import { followCoordinator } from './follow-coordinator.ts';
import { coordinatorRecord, memoryRendezvous, sampleRun } from './memory-rendezvous.fixture.ts';
import { type CoordinatorRecord, keysOf, type WorkerRecord } from './model/records.ts';

const keys = keysOf('r');

/** A worker of slice 1 that follows a coordinator. */
const follow = (first: Partial<CoordinatorRecord> | null, silence = 60_000) => {
  const place = memoryRendezvous();
  const say = (record: Partial<CoordinatorRecord>): void => {
    place.records.set(keys.coordinator, JSON.stringify(coordinatorRecord(record)));
  };
  if (first !== null) say(first);
  const heard: [StopCause, number][] = [];
  const followed = followCoordinator(place.rendezvous, {
    run: sampleRun({ silence }),
    slice: 1,
    worker: { worker: 'w', host: 'h' },
    takeProgress: () => null,
  });
  followed.onStop((cause, times) => heard.push([cause, times]));
  const record = (): WorkerRecord | null =>
    JSON.parse(place.records.get(keys.worker(1)) ?? 'null') as WorkerRecord | null;
  return { ...place, say, heard, followed, record };
};

describe.concurrent('a worker that follows its coordinator', () => {
  it('learns the start, and says who it is', async () => {
    const { followed, record } = follow({ startAt: 77 });
    expect(await followed.startAt).toBe(77);
    followed.send({ phase: 'ready', clock: { offset: 1, uncertainty: 2 } });
    await followed.close();
    expect(record()).toMatchObject({
      worker: 'w',
      host: 'h',
      phase: 'ready',
      clock: { offset: 1, uncertainty: 2 },
      progress: null,
      result: null,
    });
  });

  it('may send for as long as a silence may last, from the last sign of life on', async () => {
    const before = monotonicNow();
    const { followed } = follow({ startAt: 1 });
    await followed.startAt;
    const [until] = followed.lease;
    expect(until).toBeGreaterThanOrEqual(before + 60_000);
    expect(until).toBeLessThanOrEqual(monotonicNow() + 60_000);
    expect(followed.isGone()).toBe(false);
    await followed.close();
  });

  it('passes on each request to stop once, also to who listens later', async () => {
    const { followed, heard, say } = follow({ stops: 1, startAt: 1 });
    await followed.startAt;
    say({ beat: 2, stops: 2, collected: [1] });
    expect(await followed.ended).toBe(true);
    const later: number[] = [];
    followed.onStop((_, times) => later.push(times));
    await followed.close();
    expect(heard).toEqual([
      ['the coordinator', 1],
      ['the coordinator', 2],
    ]);
    expect(later).toEqual([2]);
  });

  it('has ended when the coordinator has its result, not that of another slice', async () => {
    const { followed, say } = follow({ collected: [0], startAt: 1 });
    let hasEnded = false;
    void followed.ended.then(() => (hasEnded = true));
    await followed.startAt;
    expect(hasEnded).toBe(false);
    say({ beat: 2, collected: [0, 1] });
    expect(await followed.ended).toBe(true);
    await followed.close();
  });

  it('sends nothing more once its slice counts as lost', async () => {
    const { followed, heard } = follow({ lost: [1], startAt: 1 });
    await expect(followed.startAt).rejects.toThrow(
      'the coordinator counts this slice as lost: this slice sends nothing more',
    );
    expect(followed.isGone()).toBe(true);
    expect(heard).toEqual([['the coordinator', 2]]);
    await followed.close();
  });

  it('goes on when another slice is lost', async () => {
    const { followed, heard } = follow({ lost: [0], startAt: 5 });
    expect(await followed.startAt).toBe(5);
    await followed.close();
    expect(heard).toEqual([]);
  });

  it('leaves when the coordinator is silent for too long, and abandons its requests', async () => {
    const { followed, heard } = follow(null, 1);
    await expect(followed.startAt).rejects.toThrow('the coordinator was silent for 1 ms');
    expect(await followed.ended).toBe(false);
    expect(followed.isGone()).toBe(true);
    expect(followed.isRunOver()).toBe(false);
    expect(heard).toEqual([['the coordinator', 2]]);
    await followed.close();
  });

  it('writes nothing into a rendezvous that is cleared', async () => {
    const { followed, say, records } = follow({});
    say({ beat: 2, startAt: 3 });
    expect(await followed.startAt).toBe(3);
    records.clear();
    expect(await followed.ended).toBe(false);
    expect(followed.isRunOver()).toBe(true);
    followed.send({ phase: 'ended' });
    await followed.close();
    expect(records.size).toBe(0);
  });

  it('outlives a rendezvous that is away for a moment', async () => {
    const { followed, setAway, say, record } = follow(null);
    setAway(true);
    followed.send({ phase: 'ready' });
    say({ startAt: 9 });
    setAway(false);
    expect(await followed.startAt).toBe(9);
    await followed.close();
    expect(record()?.phase).toBe('ready');
  });
});
