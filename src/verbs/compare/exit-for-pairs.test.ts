import { describe, expect, it } from 'vitest';
import { exitForPairs } from './exit-for-pairs.ts';
import type { PairsReport } from './model/pairs.ts';

const outcomes = (completed: number): PairsReport['base']['outcomes'] => ({
  completed,
  limited: 0,
  refused: 0,
  malformed: 0,
  broken: 0,
  dropped: 0,
  cancelled: 0,
});
const sound = { trust: 'valid', outcomes: outcomes(100) } as const;
const limits = [{ q: 0.5, most: 5, verdict: 'within' }] as const;
const share = (value: number): PairsReport['failures']['added'] => ({
  value,
  low: value - 0.1,
  high: value + 0.1,
  outer: { low: value - 0.2, high: value + 0.2 },
});
const noFailures = { baseOnly: 0, nextOnly: 0, both: 0, unknown: 0, added: share(0) };

const exitOf = (
  verdict: PairsReport['verdict'],
  {
    next = sound,
    limited = true,
    failures = noFailures,
  }: {
    readonly next?: Pick<PairsReport['base'], 'trust' | 'outcomes'>;
    readonly limited?: boolean;
    readonly failures?: PairsReport['failures'];
  } = {},
  partial: string | null = null,
) =>
  exitForPairs(
    { base: sound, next, verdict, failures, limits: limited ? [...limits] : [] },
    { stoppedBy: null, partial },
  );

describe('the exit of a paired comparison', () => {
  it('passes a limit only if it is surely kept', () => {
    expect(exitOf('within')).toBe('pass');
    expect(exitOf('worse')).toBe('regression');
    expect(exitOf('undecided')).toBe('inconclusive');
  });

  it('is a regression if the new side fails more, with or without a limit', () => {
    expect(exitOf('fails more')).toBe('regression');
    expect(exitOf('fails more', { limited: false })).toBe('regression');
  });

  it('without a limit is that of a measurement', () => {
    for (const verdict of ['adds', 'saves', 'no difference', 'undecided'] as const)
      expect(exitOf(verdict, { limited: false })).toBe('pass');
  });

  it('does not pass a side that was down for a while, with or without a limit', () => {
    const failures = { ...noFailures, nextOnly: 5, added: share(0.05) };
    expect(exitOf('undecided', { limited: false, failures })).toBe('inconclusive');
    const one = { ...noFailures, nextOnly: 1, added: share(0.02) };
    expect(exitOf('undecided', { limited: false, failures: one })).toBe('pass');
  });

  it('says first that a load was not as planned, or that nothing succeeded', () => {
    expect(exitOf('within', { next: { ...sound, trust: 'invalid' } })).toBe('invalid');
    expect(exitOf('within', { next: { ...sound, outcomes: outcomes(0) } })).toBe('empty');
    const both = { base: sound, next: sound, verdict: 'within', failures: noFailures } as const;
    expect(exitForPairs({ ...both, limits: [] }, { stoppedBy: 'SIGINT', partial: 'x' })).toBe(
      'interrupted',
    );
  });

  it('of a part of the load can be a regression, but no pass', () => {
    expect(exitOf('worse', {}, 'ended early')).toBe('regression');
    for (const verdict of ['within', 'undecided', 'no difference'] as const)
      expect(exitOf(verdict, {}, 'ended early')).toBe('incomplete');
  });
});
