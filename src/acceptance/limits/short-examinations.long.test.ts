import { describe, expect, it } from 'vitest';
import { verdictsUnderLoad } from './verdicts-under-load.fixture.ts';

describe('an examination of some phases', () => {
  it.each([
    ['burst-bucket', 10, 1.2, 'violated'],
    ['token-bucket', 10, 1.2, 'violated'],
    ['fixed-from-first', 10, 1.2, 'violated'],
    ['sliding-log', 10, 1.2, 'violated'],
    ['burst-bucket', 10, 0.6, 'violated'],
    ['token-bucket', 10, 0.6, 'violated'],
    ['token-bucket', 10, 0.8, 'undecided'],
  ] as const)(
    'of a %s in %i windows of load finds %f times the declared rate %s',
    async (algorithm, windows, share, verdict) => {
      expect(await verdictsUnderLoad(algorithm, windows, share)).toEqual([verdict]);
    },
  );
});
