import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareIn, pairedScenario, type ComparePairsRequest } from './paired-request.fixture.ts';

/** What a paired comparison says and refuses before it sends anything. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const compare = (given: Partial<ComparePairsRequest>, changes: object = {}) =>
  compareIn(folder, given, changes);

const unconfirmed = 'this budget needs a confirmation';

it('says what both sides are sent together, and sends nothing without a yes', async () => {
  const { said, message } = await compare({ key: 'DIRECT', maxAdded: '5ms,p95=20ms' });
  expect(message).toContain(unconfirmed);
  // 60 requests for each side, of a token and at most four.
  expect(said).toEqual([
    'Budget of both sides: 120 requests, with tokens: about 120 in, at most 480 out; cost: about 1.560000; 30 s of load.',
  ]);
});

it('says how many requests all retries may make', async () => {
  const { said } = await compare({}, { retry: { attempts: 3 } });
  expect(said[0]).toMatch(/; 30 s of load, 360 with all retries\.$/);
});

it('does not send both sides more than the budget of the scenario', async () => {
  const { message } = await compare({}, { budget: { requests: 119 } });
  expect(message).toBe(
    'budget.requests is 119, and both sides together need 120 requests: raise it or send less; --yes sends until it is spent',
  );
  expect((await compare({}, { budget: { requests: 120 } })).message).toContain(unconfirmed);
});

it.each<readonly [Partial<ComparePairsRequest>, string]>([
  [{ maxAdded: 'p90=5ms' }, '--max-added: expected '],
  [{ maxAdded: '' }, '--max-added: expected a time such as 5ms, or p95=20ms for the 95th perce'],
  [{ maxAdded: '5ms, ' }, '--max-added: expected a time such as 5ms'],
  [{ gap: 'soon' }, '--gap: expected '],
  [{ key: 'NONE' }, '--key: the environment variable NONE is not set; set it before the run'],
  [{ key: 'EMPTY' }, '--key: the environment variable EMPTY is not set'],
  [{ withKey: 'NONE' }, '--with-key: the environment variable NONE is not set'],
  [
    { withKey: undefined },
    '--with-key: expected the environment variable with the key for http://127.0.0.1:9/v2: a key goes to no other side than its own',
  ],
])('refuses %j', async (given, expected) => {
  expect((await compare(given)).message).toContain(expected);
});

const users = { kind: 'closed', users: 2, duration: '30s' };

it.each<readonly [object, string]>([
  [{ load: users }, '--paired: expected loads with a rate or a trace'],
  [
    {
      load: undefined,
      stages: [
        { name: 'a', load: pairedScenario.load },
        { name: 'b', load: users },
      ],
    },
    '--paired: expected loads with a rate or a trace',
  ],
  [
    { load: undefined, populations: [{ name: 'a', load: pairedScenario.load }] },
    'populations: --paired sends one mix of requests to both sides',
  ],
  [
    { until: 'decided', atMost: '1m', objectives: ['errorRate < 5%'] },
    'until: decided: both sides are compared over the same time',
  ],
  [
    { headers: { 'x-plain': 'a', 'x-secret': '${env:DIRECT}' } },
    'headers.x-secret: it has a secret, and would go to both sides',
  ],
])('refuses a scenario with %j', async (changes, expected) => {
  expect((await compare({}, changes)).message).toContain(expected);
});

it('sets the same fields for both sides', async () => {
  const { said } = await compare({ set: ['load.rate=3/s'], target: 'http://127.0.0.1:9/v3' });
  expect(said[0]).toContain('180 requests');
});
