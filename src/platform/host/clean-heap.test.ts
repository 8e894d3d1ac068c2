import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { countReadBytes } from './clean-heap.ts';

const mebibyte = 1024 * 1024;

/** Counts the collections that were asked for while reads of one length were counted. */
const collectionsOf = async (reads: number, length: number): Promise<number> => {
  let forced = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { readonly detail: { readonly flags: number } };
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let read = 0; read < reads; read += 1) countReadBytes(length);
  await setImmediate();
  await setImmediate();
  observer.disconnect();
  return forced;
};

it('young objects are collected once for each 4 MiB of reads, and small reads do not count', async () => {
  // Others of this process may have read less than 4 MiB before.
  countReadBytes(4 * mebibyte);
  expect(await collectionsOf(7, mebibyte)).toBe(1);
  expect(await collectionsOf(1, mebibyte)).toBe(1);
  expect(await collectionsOf(256, 16 * 1024)).toBe(1);
  expect(await collectionsOf(256, 16 * 1024 - 1)).toBe(0);
  expect(await collectionsOf(255, 16 * 1024)).toBe(0);
  expect(await collectionsOf(1, 16 * 1024)).toBe(1);
});
