// @gate 1 s
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import type { Objective, ObjectiveFigure } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { nextLook, undecidedObjectives } from './stopping-rule.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

const plan = samplePlan({ warmUp: milliseconds(0), until: 'decided' });
const perSecond = 20;

/** What a server does in a second: it answers within 136 ms, takes ten times as long, or refuses. */
type Behaviour = 'fast' | 'slow' | 'refuses';

const timeOf = (index: number, behaviour: Behaviour): number =>
  (100 + ((index * 37) % 36)) * (behaviour === 'slow' ? 10 : 1);

/** Returns the result of the first seconds of a run. */
const runOf = (length: number, behaviourIn: (second: number) => Behaviour) => {
  const whole = emptyHistogram();
  let refused = 0;
  const timeline = Array.from({ length }, (_, second) => {
    const behaviour = behaviourIn(second);
    const base = { ...emptySecond(second), due: perSecond, sent: perSecond, latency: {} };
    if (behaviour === 'refuses') {
      refused += perSecond;
      return { ...base, outcomes: { ...emptyOutcomeCounts(), refused: perSecond } };
    }
    const took = Array.from({ length: perSecond }, (__, i) => timeOf(second + i, behaviour));
    const endToEnd = emptyHistogram(2);
    endToEnd.recordAll(took);
    whole.recordAll(took);
    return {
      ...base,
      outcomes: { ...emptyOutcomeCounts(), completed: perSecond },
      completed: { chat: perSecond },
      latency: { chat: { endToEnd: endToEnd.toJSON() } },
    };
  });
  const outcomes = { ...emptyOutcomeCounts(), completed: whole.count, refused };
  const distributions = whole.count === 0 ? {} : { endToEnd: whole.toJSON() };
  const groups = [
    sampleGroup(whole.count, { outcomes, distributions, sent: whole.count + refused }),
  ];
  return { groups, timeline, scheduled: milliseconds(length * 1000) };
};

const percentile = (statistic: number): ObjectiveFigure => ({
  kind: 'measure',
  name: 'endToEnd',
  statistic,
});

const objective = (figure: ObjectiveFigure, comparison: '<' | '>', bound: number): Objective =>
  sampleObjective({
    text: 'the objective',
    figure,
    comparison,
    bound,
    minSamples: 20,
  });

const objectives = {
  p95: objective(percentile(0.95), '<', 500),
  mean: objective({ kind: 'measure', name: 'endToEnd', statistic: 'mean' }, '<', 500),
  errorRate: objective({ kind: 'share', name: 'errorRate' }, '<', 5),
  completedRate: objective({ kind: 'rate', name: 'completedRate' }, '>', 15),
};

/** Returns the first look, in seconds, at which a run of at most four minutes is decided; `null` for none. */
const decidedAt = (
  name: keyof typeof objectives,
  behaviourIn: (second: number) => Behaviour,
): number | null => {
  for (let at = nextLook(plan, 0); at < 240_000; at = nextLook(plan, at)) {
    const result = healthyResult({
      plan: { ...plan, objectives: [objectives[name]] },
      ...runOf(Math.round(at / 1000), behaviourIn),
    });
    if (undecidedObjectives(result).length === 0) return Math.round(at / 1000);
  }
  return null;
};

describe('a run that ends when its objectives are decided', () => {
  it.each(['p95', 'mean', 'errorRate', 'completedRate'] as const)(
    'is not decided by a stretch that was over: %s',
    (name) => {
      const bad = name === 'p95' || name === 'mean' ? 'slow' : 'refuses';
      for (const [from, to] of [
        [0, 25],
        [3, 28],
      ] as const) {
        const at = decidedAt(name, (second) => (second >= from && second < to ? bad : 'fast'));
        expect(at ?? 240, `${name} from ${from} to ${to}`).toBeGreaterThan(100);
      }
    },
  );

  it('is decided at the first look if the server is always the same, or but for a second', () => {
    for (const each of ['p95', 'errorRate', 'completedRate'] as const) {
      expect([each, decidedAt(each, () => 'fast')]).toEqual([each, 30]);
      expect([each, decidedAt(each, () => 'refuses')]).toEqual([each, 30]);
      expect([each, decidedAt(each, (at) => (at === 29 ? 'fast' : 'refuses'))]).toEqual([each, 30]);
    }
    expect(decidedAt('mean', () => 'slow')).toBe(30);
  });

  it('is decided when a server that broke down has stayed so for four times as long as it was well', () => {
    expect(decidedAt('errorRate', (second) => (second < 20 ? 'fast' : 'refuses'))).toBe(101);
    expect(decidedAt('p95', (second) => (second < 20 ? 'fast' : 'slow'))).toBe(101);
  });

  it('is decided by stretches that come again', () => {
    expect(decidedAt('p95', (second) => (second % 20 < 5 ? 'slow' : 'fast'))).toBe(68);
  });
});
