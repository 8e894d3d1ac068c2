// @gate 2 s
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tries } from '../../model/tries.fixture.ts';
import { cleanHeap } from '../host/clean-heap.ts';
import { followLive, openLive } from './live-server.fixture.ts';

describe('a reader of a live page that is slow', () => {
  it('keeps one update at most for a reader that does not read, and ends without it', async () => {
    const live = await openLive();
    const slow = await followLive(live);
    slow.pause();
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    const large = 'x'.repeat(1_000_000);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const count = tries(300);
    for (let i = 0; i < count; i += 1) {
      live.server.send('page', large);
      await new Promise(setImmediate);
    }
    cleanHeap();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    // Garbage that waits for its collector is not kept.
    expect(arrayBuffers + heapUsed - before).toBeLessThan((count * large.length) / 3);
    const begun = performance.now();
    await live.server.finish('finished', 'report');
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('disconnects a reader that has accepted nothing for half a minute, and no other', async () => {
    const live = await openLive();
    const reader = await followLive(live);
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    let time = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
    onTestFinished(() => clock.mockRestore());
    const large = 'x'.repeat(20_000_000);
    const sendAfter = async (seconds: number, data: string): Promise<number | undefined> => {
      time += seconds * 1000;
      live.server.send('page', data);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return live.counts.at(-1);
    };
    // The reader has had everything until it no longer reads.
    expect(await sendAfter(20, 'a')).toBe(1);
    expect(await sendAfter(20, 'b')).toBe(1);
    reader.pause();
    expect(await sendAfter(0, large)).toBe(1);
    expect(await sendAfter(29, 'c')).toBe(1);
    await sendAfter(2, 'd');
    await vi.waitFor(() => expect(live.counts).toEqual([1, 0]));
  });
});
