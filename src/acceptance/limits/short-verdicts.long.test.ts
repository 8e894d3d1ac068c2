import { describe, expect, it } from 'vitest';
import { verdictsUnderLoad } from './verdicts-under-load.fixture.ts';

describe('an examination of some phases', () => {
  it.each([
    ['burst-bucket', 3, 1.4, 'violated'],
    ['sliding-log-counting-refusals', 3, 1, 'kept'],
  ] as const)(
    'of a %s in %i windows of load finds %f times the declared rate %s',
    async (algorithm, windows, share, verdict) => {
      expect(await verdictsUnderLoad(algorithm, windows, share)).toEqual([verdict]);
    },
  );
});
