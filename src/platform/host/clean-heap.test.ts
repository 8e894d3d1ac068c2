import { expect, it } from 'vitest';
import { countReadBytes } from './clean-heap.ts';
import { forcedCollections } from './forced-collections.fixture.ts';

const mebibyte = 1024 * 1024;

/** Counts the collections that were asked for while reads of one length were counted. */
const collectionsOf = (reads: number, length: number): Promise<number> =>
  forcedCollections(() => {
    for (let read = 0; read < reads; read += 1) countReadBytes(length);
  });

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
