import { describe, expect, it } from 'vitest';
import type { SweepPoint, SweepReport } from '../model/sweep.ts';
import { samplePoint, sampleSweep } from './sample-sweep.fixture.ts';
import {
  axisValueText,
  frontOf,
  kneeText,
  lawText,
  spreadText,
  sweepFigureText,
  sweepSentences,
  sweepTone,
  sweptRunLine,
} from './sweep-text.ts';

const front = { isOnFront: true };
const whole: Partial<SweepReport> = { partial: null, objectives: [] };
const of = (...points: readonly SweepPoint[]): SweepReport =>
  sampleSweep({ ...whole, points: [...points] });
const degraded = (point: SweepPoint): SweepPoint => ({
  ...point,
  runs: point.runs.map((run) => ({ ...run, trust: 'degraded' })),
});

const best = samplePoint(['100', '1'], [1, 900], front);
const more = samplePoint(['100', '4'], [4, 1600], front);
const kept = samplePoint(['100', '16'], [0.5, 1700]);
const broken = samplePoint(['100', '16'], [12, 1300], { verdict: 'broken' });
const excluded = samplePoint(['1000', '4'], [0, 0], { verdict: 'excluded', figures: {} });
const missing = samplePoint(['1000', '16'], [0, 0], { verdict: 'missing', runs: [], figures: {} });

describe('a figure of a sweep', () => {
  const axis = (unit: '/s' | 'ms' | 'tokens') => ({ name: 'n', label: 'N', unit }) as never;
  const figure = { value: 12.34, low: 12.34, high: 12.34, isWeak: false };

  it('has the unit of its axis', () => {
    expect(axisValueText(axis('/s'), 12.3)).toBe('12.3/s');
    expect(axisValueText(axis('ms'), 2100)).toBe('2.1 s');
    expect(axisValueText(axis('tokens'), 7)).toBe('7.00 tokens');
  });

  it('has a mark if it is weak, and its spread if there are several runs', () => {
    expect(sweepFigureText(undefined)).toBe('–');
    expect(sweepFigureText(figure)).toBe('12.3');
    expect(sweepFigureText({ ...figure, isWeak: true })).toBe('~12.3');
    expect(spreadText(undefined)).toBe('');
    expect(spreadText(figure)).toBe('');
    expect(spreadText({ ...figure, low: 11, high: 14 })).toBe('11.0–14.0');
  });
});

describe('the line of a run', () => {
  it('has its figures, its verdict, and the first reason', () => {
    expect(sweptRunLine(best)).toBe('  1.00/s completed, end to end p50 900 ms: kept');
    const ttft = { value: 42, low: 42, high: 42, isWeak: false };
    expect(
      sweptRunLine({
        ...broken,
        figures: { 'ttft.p50': ttft },
        reasons: ['errorRate < 5%', 'ttft.p95 < 1s'],
      }),
    ).toBe('  no rate, TTFT p50 42 ms: broken: errorRate < 5%');
    expect(sweptRunLine(missing)).toBe('  no rate: not run');
  });
});

describe('the knee of a curve', () => {
  const [fitted, plain] = sampleSweep().curves as [
    SweepReport['curves'][number],
    SweepReport['curves'][number],
  ];
  it('is what a law says, if there is one', () => {
    expect(kneeText(fitted)).toBe(
      'prompt.tokens=100: knee at 10.0 in flight, 8.00/s completed, 1.3 s per answer',
    );
    expect(kneeText({ ...fitted, name: '' })).toMatch(/^knee at 10\.0 in flight/);
    expect(kneeText({ ...fitted, name: '', fit: { ...fitted.fit!, knee: null } })).toBe(
      'no knee within the points',
    );
    expect(kneeText(plain)).toBe(null);
    expect(lawText(fitted)).toBe(' (contention σ 0.03, coherence κ 0, residual 0.1 %)');
    expect(lawText({ ...fitted, fit: { ...fitted.fit!, sigma: 0.0347, kappa: 0.000125 } })).toBe(
      ' (contention σ 0.035, coherence κ 0.00013, residual 0.1 %)',
    );
    expect(lawText(plain)).toBe('');
  });
});

describe('the verdict of a sweep', () => {
  const all = (report: SweepReport) => [sweepTone(report), ...sweepSentences(report)];

  it('names the ends of the front, from the lowest latency on', () => {
    const report = of(more, kept, best);
    expect(frontOf(report)).toEqual([best, more]);
    expect(all(report)).toEqual([
      'good',
      'Pareto front: 2 points, from prompt.tokens=100, load.users=1 (1.00/s, 900 ms) to prompt.tokens=100, load.users=4 (4.00/s, 1.6 s)',
      '3 of 3 points completed',
    ]);
  });

  it('names the best point, or the only one', () => {
    const place = 'prompt.tokens=100, load.users=1 (Completed 1.00/s, End to end p50 900 ms)';
    expect(all(of(best, kept, broken))).toEqual([
      'good',
      `The best in both figures: ${place}`,
      '2 of 3 points completed',
    ]);
    expect(all({ ...of(best), objectives: ['errorRate < 5%'] })).toEqual([
      'good',
      `The only one: ${place}`,
      '1 of 1 point kept',
    ]);
  });

  it('says that points do not surely differ, in either figure', () => {
    const near = samplePoint(['100', '4'], [1.01, 905], front);
    expect(sweepSentences(of(best, near))[0]).toBe(
      'The best in both figures: prompt.tokens=100, load.users=4 (Completed 1.01/s, End to end p50 905 ms), and 1 point not surely different',
    );
    const slower = samplePoint(['100', '4'], [1.01, 1900], front);
    expect(sweepSentences(of(best, slower))[0]).toMatch(/^Pareto front: 2 points/);
    const faster = samplePoint(['100', '4'], [3, 905], front);
    expect(sweepSentences(of(best, faster))[0]).toMatch(/^Pareto front: 2 points/);
  });

  it('is a warning if points are excluded, are missing, or have uncertain figures', () => {
    expect(all(of(best, excluded, missing))).toEqual([
      'warning',
      expect.stringContaining('The only one'),
      '1 of 3 points completed (1 point excluded, 1 not run)',
    ]);
    expect(sweepTone(of(best, missing))).toBe('good');
    expect(all({ ...of(best), partial: 'stopped' })).toEqual([
      'warning',
      expect.stringContaining('The only one'),
      '1 of 1 point completed (stopped)',
    ]);
    expect(all(of(best, degraded(kept)))).toEqual([
      'warning',
      expect.stringContaining('The best in both figures'),
      '2 of 2 points completed',
      expect.stringMatching(
        /^Figures of 1 of 2 points are approximate: the load generator can have moved them\. What now: /,
      ),
    ]);
  });

  it('is bad without a point on the front', () => {
    expect(all(of(broken, degraded(excluded)))).toEqual([
      'bad',
      'No point on the Pareto front: 0 of 2 points completed (1 point excluded)',
      expect.stringContaining('Figures of 1 of 2 points'),
    ]);
  });
});
