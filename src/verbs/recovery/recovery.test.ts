import { expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineRecovery, type RecoveryRequest } from './recovery.ts';

const scenario = {
  name: 'storm',
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
  load: { kind: 'constant', rate: '2/s', duration: '9s' },
  limits: 'none',
  canary: false,
  warmUp: '0s',
};

const nothing: Omit<RecoveryRequest, 'source'> = {
  policies: undefined,
  times: undefined,
  base: undefined,
  overload: undefined,
  watch: undefined,
  pause: undefined,
  within: undefined,
  requests: undefined,
  yes: false,
  out: undefined,
};

const examine = (given: Partial<RecoveryRequest>, changes: object = {}) => {
  const fake = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
  const source = {
    scenario: undefined,
    value: { ...scenario, ...changes },
    flags: {},
    set: [],
    target: 'http://127.0.0.1:9/v1',
  };
  return { ...fake, exit: examineRecovery({ ...nothing, source, ...given }, fake.host) };
};

/** What is said before anything is sent. */
const designOf = async (given: Partial<RecoveryRequest>, changes: object = {}) => {
  const { exit, said } = examine(given, changes);
  await expect(exit).rejects.toThrow('this budget needs a confirmation');
  return said.join('\n').split('\n');
};

it('says what it sends with each policy, and what that needs, before it asks', async () => {
  const [design, budget] = await designOf({});
  expect(design).toBe(
    '2.00 requests a second for 30 s, 3.00 times as many for 10 s, and as before for 90 s; with each policy in turn, 30 s apart: none, retry-after and backoff. Retries: at most 3 attempts, of limited, server-error, connect and unanswered.',
  );
  // Each policy has 60 + 60 + 180 requests; with five deviations 1,050, and 7 attempts for 3 policies.
  expect(budget).toContain('Budget: at most 2,450 requests, retries included; ');
  expect(budget).toContain('as planned: 900 requests, ');
  // Three turns of 130 s with two pauses of 30 s.
  expect(budget).toMatch(/; 7 min 30 s of load\.$/);
});

it('takes every length and number from its options, and retries from the scenario', async () => {
  const [design, budget] = await designOf(
    {
      policies: 'backoff, none',
      times: '2.5',
      base: '20s',
      overload: '4s',
      watch: '25s',
      pause: '1s',
    },
    { retry: { attempts: 5, on: ['limited'] }, warmUp: '5s' },
  );
  expect(design).toBe(
    '2.00 requests a second for 20 s, 2.50 times as many for 4 s, and as before for 25 s; with each policy in turn, 1 s apart: backoff and none. Retries: at most 5 attempts, of limited.',
  );
  // 10 of the warm-up, and twice 40 + 20 + 50: 230 and five deviations of 15.17, with 6 attempts for 2 policies.
  expect(budget).toContain('at most 918 requests, retries included; as planned: 230 requests, ');
  expect(budget).toMatch(/; 104 s of load\.$|; 1 min 44 s of load\.$/);
});

it.each<readonly [Partial<RecoveryRequest>, string]>([
  [{ times: '1' }, '--times: expected a number above 1, at most 1000; got 1'],
  [{ times: '1000.5' }, '--times: expected a number above 1, at most 1000; got 1000.5'],
  [{ times: '2e1' }, '--times: expected a number above 1'],
  [{ policies: 'none,none' }, '--policies: expected some of none, retry-after and backoff, each'],
  [{ policies: 'all' }, 'with commas between them; got all'],
  [{ base: '9999ms' }, 'at least 10s'],
  [{ overload: '999ms' }, '--overload: expected '],
  [{ watch: '999ms' }, '--watch: expected '],
  [{ pause: 'long' }, '--pause: expected '],
  [{ within: 'soon' }, '--within: expected '],
  [
    { requests: '899' },
    'the plan needs 900 requests, and at most 899 are allowed: raise --requests or the scenario’s budget, or give fewer --policies or a shorter --watch',
  ],
])('refuses %j', async (given, message) => {
  await expect(examine(given).exit).rejects.toThrow(message);
});

it.each<readonly [object, string]>([
  [
    { until: 'decided', atMost: '1m', objectives: ['errorRate < 5%'] },
    'weir recovery compares the time before an overload with a given time after it',
  ],
  [
    { warmUp: 'auto', load: { ...scenario.load, duration: '30s' } },
    'weir recovery compares with all of the time before the overload',
  ],
  [{ workers: 2 }, 'weir recovery sends with all its policies from one thread'],
])('refuses a scenario with %j', async (changes, message) => {
  await expect(examine({}, changes).exit).rejects.toThrow(message);
});

it('takes the least and the most that its options allow', async () => {
  const [design] = await designOf({ times: '1000', base: '10s', overload: '1s', watch: '1s' });
  expect(design).toContain('for 10 s, 1,000 times as many for 1 s, and as before for 1 s; ');
});
