import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import type { ObjectiveFigure } from '../../model/plan/objective.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { standsWithoutStretch } from './longest-stretch.ts';
import { dependenceOfPopulation, isOfEachPopulation } from './population-dependence.ts';
import { nextLook } from './stopping-rule.ts';

describe('a run looks whether its objectives are sure', () => {
  const plan = samplePlan({ warmUp: milliseconds(0), until: 'decided' });
  const looks = (of: typeof plan, count: number): readonly number[] => {
    const found: number[] = [];
    while (found.length < count) found.push(nextLook(of, found.at(-1) ?? 0));
    return found;
  };

  it('30 s after its warm-up, and then at growing times', () => {
    expect(looks(plan, 4)).toEqual([30_000, 45_000, 67_500, 101_250]);
    expect(nextLook(plan, 29_999)).toBe(30_000);
    expect(looks({ ...plan, warmUp: milliseconds(5000) }, 2)).toEqual([35_000, 50_000]);
  });

  it('later if it has to find the end of its warm-up, which may take half of the time', () => {
    const autoWarmUp = { earliest: milliseconds(2000) } as NonNullable<typeof plan.autoWarmUp>;
    expect(looks({ ...plan, autoWarmUp }, 2)).toEqual([62_000, 92_000]);
  });

  it('in its last stage', () => {
    const stages = [...plan.stages, { ...plan.stages[0]!, name: 'later' }];
    // The first stage takes 25 s.
    expect(looks({ ...plan, stages }, 2)).toEqual([55_000, 70_000]);
  });
});

describe('a verdict', () => {
  const perSecond = 20;
  /** The run of so many seconds in some of which all is refused; all else completes. */
  const runOf = (length: number, isBad: (second: number) => boolean) => {
    const seconds = Array.from({ length }, (_, second) => isBad(second));
    const refused = perSecond * seconds.filter((bad) => bad).length;
    const completed = perSecond * length - refused;
    const timeline = seconds.map((bad, second) => ({
      ...emptySecond(second),
      due: perSecond,
      sent: perSecond,
      outcomes: { ...emptyOutcomeCounts(), [bad ? 'refused' : 'completed']: perSecond },
      completed: bad ? {} : { chat: perSecond },
      latency: {},
    }));
    const groups = [
      sampleGroup(perSecond * length, {
        outcomes: { ...emptyOutcomeCounts(), completed, refused },
      }),
    ];
    const plan = samplePlan({ warmUp: milliseconds(0) });
    return healthyResult({ plan, groups, timeline, scheduled: milliseconds(length * 1000) });
  };
  const errors: ObjectiveFigure = { kind: 'share', name: 'errorRate' };
  const stands = (
    isBad: (second: number) => boolean,
    isKept: boolean,
    more: Parameters<typeof sampleObjective>[0] = {},
  ): boolean =>
    standsWithoutStretch(
      runOf(40, isBad),
      sampleObjective({ figure: errors, comparison: '<', bound: 5, ...more }),
      isKept,
    );
  const within = (from: number, to: number) => (second: number) => second >= from && second < to;

  it('of one stretch does not stand', () => {
    expect(stands(within(0, 10), false)).toBe(false);
    expect(stands(within(15, 25), false)).toBe(false);
  });

  it('stands if the same comes again', () => {
    expect(stands((second) => second % 4 === 0, false)).toBe(true);
    expect(stands(within(40, 40), true)).toBe(true);
  });

  it('stands if hardly anything speaks against it: 5 % of the seconds, or 20 % before the rest', () => {
    expect(stands(within(0, 38), false)).toBe(true);
    expect(stands(within(0, 37), false)).toBe(false);
    expect(stands(within(8, 40), false)).toBe(true);
    expect(stands(within(9, 40), false)).toBe(false);
  });

  it('that the timeline shows otherwise, or not at all, is not doubted', () => {
    expect(stands(within(0, 10), true)).toBe(true);
    expect(stands(within(0, 10), false, { figure: { kind: 'count', name: 'failed' } })).toBe(true);
  });

  it('on a rate is asked by second, too', () => {
    const rate: Parameters<typeof sampleObjective>[0] = {
      figure: { kind: 'rate', name: 'completedRate' },
      comparison: '>',
      bound: 15,
    };
    expect(stands(within(0, 15), false, rate)).toBe(false);
    expect(stands(within(40, 40), true, rate)).toBe(true);
    expect(stands((second) => second % 3 === 0, false, rate)).toBe(true);
  });
});

describe('one population of a run', () => {
  it('depends on itself as much more than all together as it has fewer arrivals', () => {
    // Waves of eight seconds in which answers are fast or slow.
    const seconds = Array.from({ length: 40 }, (_, second) => {
      const endToEnd = emptyHistogram(2);
      endToEnd.recordAll(Array.from({ length: 20 }, (__, i) => (second % 8 < 4 ? 100 : 300) + i));
      const latency = { chat: { endToEnd: endToEnd.toJSON() } };
      return { ...emptySecond(second), due: 20, latency };
    });
    const of = (count: number) => {
      const own = emptyHistogram();
      own.recordAll(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 110 : 310)));
      const due = { q: 0.5, failed: 0 };
      return dependenceOfPopulation({ kinds: ['chat'], seconds }, 'endToEnd', due, own)!;
    };
    const [all, half, tenth] = [of(800), of(400), of(80)];
    expect(all.widening).toBeGreaterThan(1.5);
    expect(half.widening - 1).toBeCloseTo(2 * (all.widening - 1), 9);
    expect(tenth.widening - 1).toBeCloseTo(10 * (all.widening - 1), 9);
    // More than all are no fewer than all.
    expect(of(1600).widening).toBe(all.widening);
    expect([half.effect, tenth.effect]).toEqual([all.effect, all.effect]);
    const none = { kinds: ['chat'] as const, seconds: seconds.slice(0, 5) };
    const one = emptyHistogram();
    one.record(110);
    expect(dependenceOfPopulation(none, 'endToEnd', { q: 0.5, failed: 0 }, one)).toBeNull();
  });

  it('is not each of them', () => {
    const populations = ['a', 'b'].map((name) => ({ name, after: milliseconds(0), retry: null }));
    const plan = samplePlan();
    const groupsOf = (...names: readonly string[]) =>
      names.map((population) => {
        const group = sampleGroup(1);
        return { ...group, labels: { ...group.labels, population } };
      });
    const result = healthyResult({ plan: { ...plan, populations } as typeof plan });
    expect(isOfEachPopulation(result, groupsOf('a', 'b', 'b'))).toBe(true);
    expect(isOfEachPopulation(result, groupsOf('a'))).toBe(false);
    expect(isOfEachPopulation(healthyResult(), groupsOf('a'))).toBe(true);
  });
});
