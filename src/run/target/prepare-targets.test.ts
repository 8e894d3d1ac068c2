import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { joinTargets, prepareTargets, sliceOptionsFor } from './prepare-targets.ts';
import { readyTarget } from './ready-target.fixture.ts';

const credential = (name: string) => ({ name, weight: 1, value: `sk-${name}` });
const keyOf = (name: string, target?: string) => ({
  name,
  template: `\${env:${name.toUpperCase()}}`,
  weight: 1,
  ...(target === undefined ? {} : { target }),
});
const at = (name: string, url: string) => ({ name, target: { kind: 'url', url } }) as never;

/** Keys of two targets, which alternate in the plan. */
const both: Partial<Plan> = {
  targets: [at('direct', 'http://a/v1'), at('gateway', 'http://b/v1')],
  keys: [keyOf('g1', 'gateway'), keyOf('d1', 'direct'), keyOf('g2', 'gateway')],
};
const direct = readyTarget('http://a/v1', {
  credentials: [credential('d1')],
  secrets: ['sk-d1'],
  notes: ['slow'],
  warnings: ['old'],
  mock: { pid: 1 } as never,
});
const gateway = readyTarget('http://b/v1', {
  credentials: [credential('g1'), credential('g2')],
  secrets: ['sk-g1', 'sk-g2'],
  renewableKeys: [{ index: 1, lifetime: 9 } as never],
  notes: ['new'],
  keysWereUsed: true,
});

describe('the targets of a plan', () => {
  it('give each key its own target, in the order of the plan, and name what they say', () => {
    expect(joinTargets(samplePlan(both), [direct, gateway])).toEqual({
      targets: [direct, gateway],
      baseUrl: 'direct http://a/v1, gateway http://b/v1',
      mocks: [{ pid: 1 }],
      credentials: [
        { ...credential('g1'), target: 1 },
        { ...credential('d1'), target: 0 },
        { ...credential('g2'), target: 1 },
      ],
      secrets: ['sk-d1', 'sk-g1', 'sk-g2'],
      renewableKeys: [{ index: 2, lifetime: 9 }],
      notes: ['direct: slow', 'gateway: new'],
      warnings: ['direct: old'],
      keysWereUsed: true,
    });
  });

  it('have no name if there is one', () => {
    const only = { ...gateway, warnings: ['odd'], keysWereUsed: false };
    const plan = samplePlan({ keys: [keyOf('g1'), keyOf('g2')] });
    expect(joinTargets(plan, [only])).toMatchObject({
      baseUrl: 'http://b/v1',
      mocks: [],
      credentials: [credential('g1'), credential('g2')],
      renewableKeys: [{ index: 1 }],
      notes: ['new'],
      warnings: ['odd'],
      keysWereUsed: false,
    });
  });

  it('that have the same address feel each other, which is said', () => {
    const urls = ['http://a/v1', 'http://b/v1', 'http://a/v1'];
    const targets = urls.map((url, place) => at(`t${place}`, url));
    const [first, ...others] = urls.map((url) => readyTarget(url, {}));
    const { notes, warnings } = joinTargets(
      samplePlan({
        keys: [],
        targets: [...targets, { name: 'mock', target: { kind: 'mock' } } as never],
      }),
      [first!, ...others, readyTarget('http://c/v1', {})],
    );
    expect(notes).toEqual([
      'The targets t0 and t2 have the same address, http://a/v1: each feels the other’s load, and limits of keys are counted for each of them apart.',
    ]);
    expect(warnings).toEqual(notes);
  });

  it('cannot be used if one of them cannot', async () => {
    const plan = samplePlan({
      target: { kind: 'url', url: 'http://127.0.0.1:1/v1' },
      keys: [],
    });
    await expect(prepareTargets({ plan, folder: '.', environment: {} })).rejects.toThrow(
      'http://127.0.0.1:1/v1',
    );
  });
});

it('a slice gets what its requests need of the targets, and what masks their secrets', () => {
  const plan = samplePlan(both);
  const joined = joinTargets(plan, [{ ...direct, headers: { 'x-team': 'red' } }, gateway]);
  const slice = { index: 1, count: 2 };
  const read = { plan, clips: 'clips', workload: 'workload' } as never;
  const secrets = ['sk-secret-1'];
  const target = { ...joined, secrets };
  const { redact, userAgent, ...options } = sliceOptionsFor(read, target, { slice, runId: 'r' });
  expect(options).toEqual({
    slice,
    runId: 'r',
    plan,
    clips: 'clips',
    workload: 'workload',
    credentials: joined.credentials,
    keysWereUsed: true,
    targets: [
      { auth: undefined, headers: { 'x-team': 'red' } },
      { auth: undefined, headers: {} },
    ],
  });
  expect(userAgent).toMatch(/^weir\/\d+\.\d+/);
  expect(redact('sk-secret-1 sk-secret-2')).toBe('[redacted] sk-secret-2');
  // A key that is renewed during the run is masked from then on.
  secrets.push('sk-secret-2');
  expect(redact('sk-secret-1 sk-secret-2')).toBe('[redacted] [redacted]');
});
