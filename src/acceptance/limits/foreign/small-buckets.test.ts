// @long 2 s
import { expect, it } from 'vitest';
import { runCell } from './campaign.fixture.ts';
import { foreignLimiters } from './foreign-limiters.fixture.ts';
import { plantedFaults } from './planted-faults.fixture.ts';

const byConnection = plantedFaults.findIndex(({ name }) => /^2 workers.*by connection/.test(name));

it.each([
  ['throttled 2.15.0, GCRA with a burst of a tenth of the limit', 300],
  ['throttled 2.15.0, GCRA with a burst of a tenth of the limit', 301],
  ['golang.org/x/time/rate 0.16.0, Allow with a fifth of the limit as its burst', 300],
  ['golang.org/x/time/rate 0.16.0, Allow with a fifth of the limit as its burst', 301],
])(
  'two small buckets, one for each connection, are not a kept limit: %s, %i',
  async (name, seed) => {
    const limiter = foreignLimiters.findIndex((each) => each.name === name);
    const cell = { limiter, fault: byConnection, limit: 20, window: 60_000, seed };
    expect((await runCell(cell)).verdict).not.toBe('kept');
  },
);

// Chats that failed were charged, so that the bucket held less.
it.each([
  ['nginx, limit_req burst of the limit less one, nodelay', 20_000],
  ['throttled-py 3.5.0, GCRA', 20_002],
])(
  'a bucket of the limit of which chats failed is not only named a small one: %s',
  async (name, seed) => {
    const limiter = foreignLimiters.findIndex((each) => each.name === name);
    const cell = { limiter, fault: null, limit: 60, window: 10_000, seed };
    expect((await runCell(cell)).rating).toBe('tie');
  },
);
