import { describe, expect, it } from 'vitest';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import { type JudgedRun, judgePoint, judgeRun } from './judge-point.ts';

const valid: Trust = { level: 'valid', evidence: [], figures: [] };
const group = (completed: number, errors: number) =>
  sampleGroup(completed + errors, {
    outcomes: { ...emptyOutcomeCounts(), completed, limited: errors },
  });
const judged = (changes: Partial<Result>, trust = valid) => {
  const result = healthyResult({ groups: [group(100, 0)], ...changes });
  return judgeRun({ folder: 'runs/01-1', order: 3, result, trust }, ['completedRate', 'ttft.p50']);
};

describe('a run of a sweep', () => {
  it('keeps its place, its trust and its figures', () => {
    const { run, weak, broken, undecided } = judged({});
    expect(run).toMatchObject({
      folder: 'runs/01-1',
      order: 3,
      trust: 'valid',
      excludedBecause: null,
    });
    expect(run.figures).toMatchInlineSnapshot(`
      {
        "completedRate": 0,
      }
    `);
    expect([[...weak], broken, undecided]).toMatchInlineSnapshot(`
      [
        [],
        [],
        [],
      ]
    `);
  });

  it('without objectives keeps what 95 % of its requests keep', () => {
    expect(judged({ groups: [group(95, 5)] }).broken).toEqual([]);
    expect(judged({ groups: [group(94, 6)] }).broken).toEqual(['completed 94.0 %, below 95 %']);
  });

  it('with objectives keeps what they say', () => {
    const verdict = (grounds: string, ruling: string, severity = 'fail') =>
      ({ text: `${grounds} ${severity}`, grounds, ruling, severity }) as never;
    const { broken, undecided } = judged({
      groups: [group(1, 99)],
      verdicts: [
        verdict('kept', 'pass'),
        verdict('broken', 'fail'),
        verdict('aborted', 'fail'),
        verdict('broken', 'fail', 'warn'),
        verdict('unsure', 'fail'),
      ],
    });
    expect(broken).toEqual(['broken fail', 'aborted fail']);
    expect(undecided).toEqual(['unsure fail']);
  });

  it('does not count if its load was not as planned', () => {
    const signal = { signal: 'start lag', expected: 'up to 2 ms', advice: null };
    const evidence = [
      { ...signal, observed: 'p99 60 ms', decides: true, level: 'invalid' },
      { ...signal, observed: 'p99 70 ms', decides: false, level: 'invalid' },
      { ...signal, observed: 'p99 4 ms', decides: true, level: 'degraded' },
    ] as const;
    const trust = { ...valid, level: 'invalid', evidence: [...evidence] } as unknown as Trust;
    expect(judged({}, trust).run.excludedBecause).toBe(
      'load not as planned (start lag: p99 60 ms)',
    );
    expect(judged({}, { ...trust, level: 'degraded' }).run.excludedBecause).toBe(null);
  });

  it('does not count if it was cut short, unless a broken objective did that', () => {
    expect(judged({ partial: 'stopped' }).run.excludedBecause).toBe('stopped');
    const breach = { at: 1, text: 'errorRate < 5%' } as never;
    expect(judged({ partial: 'stopped', breach }).run.excludedBecause).toBe(null);
  });

  it('does not count if nothing was due, or nothing succeeded', () => {
    expect(judged({ groups: [group(0, 0)] }).run.excludedBecause).toBe(
      'no request was due after the warm-up',
    );
    expect(judged({ groups: [group(0, 9)] }).run.excludedBecause).toBe('nothing succeeded');
    expect(judged({ groups: [group(1, 9)] }).run.excludedBecause).toBe(null);
  });
});

describe('a point of a sweep', () => {
  const run = (
    figures: Readonly<Record<string, number>>,
    {
      because = null,
      weak = [],
      ...found
    }: Partial<Pick<JudgedRun, 'broken' | 'undecided'>> & {
      readonly because?: string | null;
      readonly weak?: readonly string[];
    } = {},
  ): JudgedRun => ({
    run: {
      folder: 'f',
      order: 1,
      startedAt: '2026-07-01T10:20:30.000Z',
      trust: 'valid',
      excludedBecause: because,
      figures,
    },
    weak: new Set(weak),
    broken: [],
    undecided: [],
    ...found,
  });
  const point = (runs: readonly JudgedRun[], problems: readonly string[] = []) =>
    judgePoint({ values: ['4'], runs, problems });

  it('has the mean, the least and the greatest figure of the runs that count', () => {
    const runs = [
      run({ a: 1, b: 5 }),
      run({ a: 4 }, { weak: ['a'] }),
      run({ a: 100 }, { because: 'late', weak: ['b'] }),
    ];
    expect(point(runs)).toEqual({
      values: ['4'],
      verdict: 'kept',
      reasons: ['1 of 3 runs not counted: late'],
      runs: runs.map((each) => each.run),
      figures: {
        a: { value: 2.5, low: 1, high: 4, isWeak: true },
        b: { value: 5, low: 5, high: 5, isWeak: false },
      },
      isOnFront: false,
    });
  });

  it('is broken, undecided, kept, excluded or missing by its runs', () => {
    const verdictOf = (runs: readonly JudgedRun[], problems: readonly string[] = []) => {
      const { verdict, reasons } = point(runs, problems);
      return [verdict, ...reasons];
    };
    const [bad, unsure] = [
      run({}, { broken: ['x'], undecided: ['y'] }),
      run({}, { undecided: ['y'] }),
    ];
    const late = run({}, { because: 'late' });
    expect(verdictOf([])).toEqual(['missing']);
    expect(verdictOf([], ['no key'])).toEqual(['excluded', 'no key']);
    expect(verdictOf([late, late], ['no key'])).toEqual(['excluded', 'late', 'no key']);
    expect(verdictOf([run({})])).toEqual(['kept']);
    expect(verdictOf([run({}), unsure, unsure])).toEqual(['undecided', 'y']);
    expect(verdictOf([unsure, bad, bad, late], ['no key'])).toEqual([
      'broken',
      'x',
      '2 of 5 runs not counted: late; no key',
    ]);
    expect(verdictOf([unsure, late])).toEqual(['undecided', 'y', '1 of 2 runs not counted: late']);
  });
});
