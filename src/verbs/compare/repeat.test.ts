import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { pauseFor } from '../../run/input/pause-between-runs.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { runSlots, exclusionReason, excludedRunLines, isPlanElsewhere } from './repeat.ts';

describe('the order of repeated runs', () => {
  it('alternate ABBA between two sides, so that a drift affects both equally', () => {
    expect(runSlots(4, true).map(({ folder }) => folder)).toStrictEqual([
      'base/1',
      'new/1',
      'new/2',
      'base/2',
      'base/3',
      'new/3',
      'new/4',
      'base/4',
    ]);
  });

  it('use numbered folders if there is one side', () => {
    expect(runSlots(2, false)).toStrictEqual([
      { side: 'next', folder: '1' },
      { side: 'next', folder: '2' },
    ]);
  });
});

describe('the pause between two runs', () => {
  const url = { kind: 'url', url: 'https://host/v1' } as const;
  const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };

  it.each([
    ['a minute if the gateway declares limits', samplePlan({ target: url }), undefined, 60_000],
    ['none if the gateway declares none', samplePlan({ target: url, limits: none }), undefined, 0],
    ['none against the reference gateway, new in each run', samplePlan(), undefined, 0],
    ['the requested time', samplePlan({ target: url }), '2.5s', 2500],
  ] as const)('is %s', (_, plan, text, length) => {
    expect(pauseFor(plan, text)).toBe(length);
  });

  it('rejects other text', () => {
    expect(() => pauseFor(samplePlan(), 'long')).toThrow('--pause: expected a length of time');
  });
});

const lag = { signal: 'start lag', observed: 'p99 60 ms', expected: 'up to 2 ms', advice: null };
const trust = {
  level: 'invalid',
  evidence: [{ ...lag, decides: true, level: 'invalid' }],
  figures: [],
} as const;
const healthy = { level: 'valid', evidence: [], figures: [] } as const;

describe('a run of several', () => {
  it('does not count if its load was not as planned, or nothing succeeded', () => {
    expect(exclusionReason({ trust, exit: 'invalid' })).toBe(
      'load not as planned (start lag: p99 60 ms)',
    );
    expect(exclusionReason({ trust: healthy, exit: 'empty' })).toBe('nothing succeeded');
    expect(exclusionReason({ trust: healthy, exit: 'objective' })).toBeNull();
  });

  it('is listed after the last run, with the reason and the consequence', () => {
    const runs = [{ folder: 'new/2', reason: 'nothing succeeded' }];
    expect(excludedRunLines([], { of: 5, isAllowed: false })).toEqual([]);
    expect(excludedRunLines(runs, { of: 5, isAllowed: false })).toEqual([
      '1 of 5 runs does not count, hence exit code 15:',
      '  new/2: nothing succeeded.',
    ]);
    const late = { folder: 'new/3', reason: 'load not as planned (start lag: p99 160 ms)' };
    expect(excludedRunLines([...runs, late], { of: 5, isAllowed: false })[0]).toBe(
      '2 of 5 runs do not count, hence exit code 12:',
    );
    expect(excludedRunLines(runs, { of: 5, isAllowed: true })[0]).toContain('--allow-different');
  });
});

describe('a stored run is of this plan elsewhere', () => {
  const at = (host: string): Plan['target'] => ({ kind: 'url', url: `http://${host}/v1` });
  const withTargets = (...hosts: readonly string[]): Plan => {
    const { wire, headers, ...plan } = samplePlan();
    const targets = hosts.map((host, place) => ({
      name: `t${place}`,
      target: at(host),
      wire,
      headers,
    }));
    return { ...plan, wire, headers, target: at(hosts[0]!), targets };
  };
  const storedOf = (plan: Plan) => ({ plan, planHash: planHash(plan) });

  it('if only the addresses of its targets differ, also of targets by name', () => {
    const one = { ...samplePlan(), target: at('a') };
    expect(isPlanElsewhere(storedOf(one), { ...one, target: at('b') })).toBe(true);
    expect(isPlanElsewhere(storedOf(one), { ...one, seed: 99, target: at('b') })).toBe(false);
    const two = withTargets('a', 'b');
    expect(isPlanElsewhere(storedOf(two), withTargets('a', 'c'))).toBe(true);
    expect(isPlanElsewhere(storedOf(two), withTargets('c', 'b'))).toBe(true);
    expect(isPlanElsewhere(storedOf(two), { ...withTargets('a', 'c'), seed: 99 })).toBe(false);
    expect(isPlanElsewhere(storedOf(two), withTargets('a', 'b', 'c'))).toBe(false);
    expect(isPlanElsewhere(storedOf(two), one)).toBe(false);
    const mock = {
      ...two,
      targets: two.targets!.map((each) => ({
        ...each,
        target: { kind: 'mock' } as Plan['target'],
      })),
    };
    expect(isPlanElsewhere(storedOf(mock), two)).toBe(false);
  });
});
