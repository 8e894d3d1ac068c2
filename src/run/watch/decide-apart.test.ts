import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { decideApart, type ToDecider } from './decide-apart.ts';
import { planUntilDecided } from './decided-plan.fixture.ts';
import { collectLiveFigures } from './live-display.ts';

/** Begins to decide a run. The messages to the thread are kept here, and the thread never answers. */
const deciding = () => {
  const messages: ToDecider[] = [];
  const threads: Worker[] = [];
  const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function keep(
    this: Worker,
    message: ToDecider,
  ) {
    messages.push(message);
    threads.push(this);
  });
  const warned: string[] = [];
  const observer = decideApart(planUntilDecided(600_000, 400), (text) => warned.push(text));
  onTestFinished(async () => {
    post.mockRestore();
    await observer.close?.();
  });
  const isDecided = (now: number, due: number): boolean | undefined =>
    observer.isDecided?.(instant(now), { due, inFlight: 0 });
  return { observer, messages, threads, warned, isDecided };
};
const chats = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => answeredChat((from + i) * 50, 100));

describe('the thread that decides when a run may end', () => {
  it('gets each observation once, in batches, and the rest when it must decide', () => {
    const { observer, messages, isDecided } = deciding();
    for (const chat of chats(64 + 64 + 3)) observer.onObservation?.(chat);
    isDecided(9000, 140);
    isDecided(10_000, 150);
    expect(messages.map(({ observations, at }) => [observations.length, at])).toEqual([
      [64, null],
      [64, null],
      [3, { now: 9000, due: 140 }],
      [0, { now: 10_000, due: 150 }],
    ]);
    expect(messages.flatMap(({ observations }) => observations)).toEqual(chats(131));
  });

  it('also gets what workers observed', () => {
    const { observer, messages, isDecided } = deciding();
    const figures = collectLiveFigures().take();
    const lines = { observationLines: [], requestLines: [], checkpointLines: [] };
    observer.onWorkerUpdate?.({ figures, ...lines, observations: chats(70) });
    isDecided(9000, 140);
    expect(messages.map(({ observations }) => observations.length)).toEqual([64, 6]);
  });

  it('ends the run once it says that all is decided', () => {
    const { threads, isDecided } = deciding();
    expect(isDecided(9000, 140)).toBe(false);
    threads[0]!.emit('message', { isDecided: true });
    expect(isDecided(10_000, 150)).toBe(true);
  });

  it('says nothing when it is closed', async () => {
    const { observer, warned } = deciding();
    await observer.close?.();
    expect(warned).toEqual([]);
  });

  it('warns if it ends without an error', async () => {
    const { threads, warned, isDecided } = deciding();
    isDecided(9000, 140);
    await threads[0]!.terminate();
    expect(warned).toEqual([
      'Nothing decides any more (it ended): the run lasts as long as it may.',
    ]);
  });

  it('warns if it ends before', async () => {
    const { threads, warned, isDecided } = deciding();
    isDecided(9000, 140);
    threads[0]!.emit('error', new RangeError('no memory'));
    await threads[0]!.terminate();
    expect(warned).toEqual([
      'Nothing decides any more (RangeError: no memory): the run lasts as long as it may.',
    ]);
  });
});
