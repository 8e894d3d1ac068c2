import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../judge/sample-result.fixture.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { pauseFor } from '../../run/input/pause-between-runs.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Result } from '../../model/result/result.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { type PlanSource, readPlan } from '../../run/input/read-plan.ts';
import { bareRequest } from '../../run/input/run-request.ts';
import {
  excludedRunLines,
  exclusionReason,
  exitOfSeries,
  isPlanElsewhere,
  repeat,
  runSlots,
} from './repeat.ts';

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

describe('the exit of compared runs', () => {
  it.each([
    [['pass', 'pass'], 'pass', false, 'pass'],
    [['pass', 'pass'], 'regression', false, 'regression'],
    [['pass', 'objective'], 'regression', false, 'objective'],
    [['pass', 'objective'], 'pass', true, 'objective'],
    [['invalid', 'pass'], 'pass', false, 'invalid'],
    [['invalid', 'pass'], 'pass', true, 'pass'],
    [['invalid', 'pass'], 'invalid', true, 'invalid'],
    [['pass', 'empty'], 'pass', false, 'empty'],
    [['pass', 'empty'], 'regression', true, 'regression'],
    [['invalid', 'violated'], 'pass', true, 'violated'],
  ] as const)(
    'of %j and of a comparison %s, allowed %s, is %s',
    (exits, compared, allowed, exit) => {
      expect(exitOfSeries(exits, compared, allowed)).toBe(exit);
    },
  );
});

describe('a stored run as the base of repeated runs', () => {
  const home = mkdtempSync(join(tmpdir(), 'weir-repeat-'));
  afterAll(() => rmSync(home, { recursive: true }));
  const source: PlanSource = {
    scenario: undefined,
    value: {
      name: 'repeated',
      traffic: [{ kind: 'models' }],
      load: { kind: 'constant', rate: '1/s', duration: '30s' },
    },
    flags: {},
    set: [],
    target: 'http://127.0.0.1:9/v1',
  };
  const environment = { WEIR_API_KEY: 'none' };

  /** Begins a series whose folder cannot be opened, so that nothing is sent; returns why it ended. */
  const problemWith = async (
    seed: string,
    changes: Partial<Result> = {},
    allowDifferent = false,
  ): Promise<string> => {
    const { plan } = await readPlan({ ...source, set: [seed] }, environment);
    const base = join(mkdtempSync(join(home, 'base-')), 'result.json');
    const stored = { plan, planHash: planHash(plan), groups: [sampleGroup(1200)], ...changes };
    writeFileSync(base, JSON.stringify(healthyResult(stored)));
    const { out: _, ...request } = bareRequest;
    return repeat(
      {
        ...request,
        source,
        out: base,
        repetitions: 2,
        against: undefined,
        baseline: [base],
        pause: undefined,
        self: false,
        printEach: false,
        strict: false,
        allowDifferent,
      },
      fakeHost(environment).host,
    ).catch(String);
  };
  const atFolder = /the output folder .* cannot be written/;

  it('is one of the same plan', async () => {
    expect(await problemWith('seed=1')).toMatch(atFolder);
  });

  it('is not one of another plan, unless that is allowed', async () => {
    const refused = await problemWith('seed=2');
    expect(refused).toMatch(
      /--baseline: these runs cannot be the base:\n {2}the plan differs \(its hash\): [^]*\. *\nRun the base again/,
    );
    expect(await problemWith('seed=2', {}, true)).toMatch(atFolder);
  });

  it('is not one that was cut short', async () => {
    const refused = await problemWith('seed=1', { partial: 'stopped' });
    expect(refused).toMatch(/--baseline: these runs cannot be the base:\n {2}/);
    expect(refused).not.toContain('the plan differs');
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
