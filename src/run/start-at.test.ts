import { describe, expect, it } from 'vitest';

import { wallClockNow } from '../platform/host/clock.ts';
import { followStops } from './input/follow-stops.ts';
import type { StopCause } from './input/host.ts';
import { assertStartAhead, beginningBy, byWallClock, waitForStart } from './start-at.ts';

describe('a start at a time', () => {
  const never = () => () => undefined;
  const startIn = (left: number) => ({
    at: 100_000 + left,
    now: () => 100_000,
    name: 'the start',
    remedy: 'Be quick',
  });

  it('is by the wall clock where an option names it', () => {
    expect(byWallClock(undefined)).toBeNull();
    const start = byWallClock(5)!;
    expect([start.at, start.name]).toEqual([5, '--start-at']);
    expect(Math.abs(start.now() - Date.now())).toBeLessThan(1000);
  });

  it('is refused where it is over or more than a day away', () => {
    const at = (left: number) => () => assertStartAhead(wallClockNow() + left);
    expect(() => assertStartAhead(undefined)).not.toThrow();
    expect(at(10_000)).not.toThrow();
    expect(at(24 * 3_600_000 - 60_000)).not.toThrow();
    expect(at(24 * 3_600_000 + 60_000)).toThrow(
      'is more than a day away (24 h 1 min) by this machine’s clock: give a nearer one',
    );
    expect(at(-60_000)).toThrow(
      'was 60 s ago by this machine’s clock, and a late load is not the planned one',
    );
  });

  it('is awaited until five seconds before it, and said', async () => {
    const said: string[] = [];
    await waitForStart(null, never, (text) => said.push(text));
    await waitForStart(startIn(0), never, (text) => said.push(text));
    await waitForStart(startIn(-5), never, (text) => said.push(text));
    expect(said).toEqual([]);
    const begun = performance.now();
    await waitForStart(startIn(4900), never, (text) => said.push(text));
    expect(performance.now() - begun).toBeLessThan(1000);
    await waitForStart(startIn(5030), never, (text) => said.push(text));
    expect(performance.now() - begun).toBeGreaterThanOrEqual(28);
    expect(said).toEqual([
      'Everything is ready; the load begins at 1970-01-01T00:01:44.900Z, in 4.9 s.',
      'Everything is ready; the load begins at 1970-01-01T00:01:45.030Z, in 5 s.',
    ]);
  });

  it('ends with a stop', async () => {
    const stopped = waitForStart(
      startIn(60_000),
      (listener) => {
        queueMicrotask(() => listener('SIGTERM', 1));
        return () => undefined;
      },
      () => undefined,
    );
    await expect(stopped).rejects.toMatchObject({
      stoppedBy: 'SIGTERM',
      message: 'stopped by SIGTERM before the load began',
    });
  });

  it('gives the clock its zero: the start itself, or as soon as everything is open', () => {
    expect(beginningBy(startIn(300), 100)).toMatchObject({
      lead: 300,
      startedAt: '1970-01-01T00:01:40.300Z',
    });
    expect(beginningBy(startIn(100), 100).lead).toBe(100);
    expect(() => beginningBy(startIn(40), 100)).toThrow(
      'the start: this machine was not ready at 1970-01-01T00:01:40.040Z, but 60 ms late; nothing was sent. Be quick',
    );
    for (const none of [null, undefined]) {
      const { lead, startedAt } = beginningBy(none, 250);
      expect(lead).toBe(250);
      expect(Math.abs(Date.parse(startedAt) - Date.now() - 250)).toBeLessThan(1000);
    }
  });
});

describe('stops', () => {
  const host = () => {
    const listeners = new Set<(cause: StopCause, times: number) => void>();
    return {
      onStop: (listener: (cause: StopCause, times: number) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      stop: (cause: StopCause) => {
        for (const listener of listeners) listener(cause, 1);
      },
      listeners,
    };
  };

  it('go to who listens, count, keep their first cause, and reach late listeners', async () => {
    const { onStop, stop, listeners } = host();
    const unheard: number[] = [];
    const stops = followStops(onStop, () => unheard.push(1));
    const heard: string[] = [];
    const release = stops.onStop((cause, times) => heard.push(`${cause} ${times}`));
    stop('SIGINT');
    stops.request('the live page');
    release();
    stop('SIGTERM');
    expect(heard).toEqual(['SIGINT 1', 'SIGINT 2']);
    expect(unheard).toEqual([1]);
    const late = await new Promise((resolve) => {
      stops.onStop((cause, times) => resolve(`${cause} ${times}`));
    });
    expect(late).toBe('SIGINT 3');
    stops.release();
    expect(listeners.size).toBe(0);
  });

  it('undo what is being opened, and leave alone what is open', async () => {
    const { onStop, stop } = host();
    const unheard: number[] = [];
    const stops = followStops(onStop, () => unheard.push(1));
    expect(await stops.unlessStopped(Promise.resolve(4), null)).toBe(4);
    const undone: number[] = [];
    const { promise, resolve } = Promise.withResolvers<number>();
    const opening = stops.unlessStopped(promise, (opened) => {
      undone.push(opened);
      return Promise.resolve();
    });
    stop('SIGHUP');
    resolve(5);
    await expect(opening).rejects.toThrow('stopped by SIGHUP before the load began');
    expect([undone, unheard]).toEqual([[5], []]);
    await expect(stops.unlessStopped(new Promise(() => undefined), null)).rejects.toThrow(
      'stopped by SIGHUP',
    );
  });
});
