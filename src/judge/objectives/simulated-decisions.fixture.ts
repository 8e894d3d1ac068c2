import type { TimelineSecond } from '../../model/measures/counts.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptySecond } from '../../model/measures/outcome-counts.ts';
import { type Process, uniformFrom } from '../../model/measures/processes.fixture.ts';
import { defaultMinSamples, type Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { groundsFor, observeObjective } from './judge-objectives.ts';
import { nextLook, undecidedObjectives } from './stopping-rule.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

/** Test support: runs with `until: decided` of requests whose true percentiles are known. */

const perSecond = 20;

const runPlan = samplePlan({ warmUp: milliseconds(0), until: 'decided' });

/** Returns the times at which a run of at most some seconds looks, in seconds since its beginning. */
export const looksUntil = (atMost: number): readonly number[] => {
  const looks: number[] = [];
  for (let at = nextLook(runPlan, 0); at < atMost * 1000; at = nextLook(runPlan, at))
    looks.push(Math.round(at / 1000));
  return [...looks, atMost];
};

const boundAt = (q: number, bound: number): Objective =>
  sampleObjective({
    text: `endToEnd.p${q * 100} < ${bound} ms`,
    figure: { kind: 'measure', name: 'endToEnd', statistic: q },
    bound,
    minSamples: defaultMinSamples(q),
  });

const secondOf = (second: number, took: readonly number[]): TimelineSecond => {
  if (took.length === 0) return { ...emptySecond(second), latency: {} };
  const endToEnd = emptyHistogram(2);
  endToEnd.recordAll(took);
  return {
    ...emptySecond(second),
    due: took.length,
    latency: { chat: { endToEnd: endToEnd.toJSON() } },
  };
};

/** Yields the results that a run has at each of its looks. */
function* resultsAtLooks(process: Process, run: number, atMost: number) {
  const samples = process.samples(uniformFrom(run * 7919 + 13), perSecond * atMost, perSecond);
  const timeline: TimelineSecond[] = [];
  const whole = emptyHistogram();
  let next = 0;
  for (const look of looksUntil(atMost)) {
    while (timeline.length < look) {
      const took: number[] = [];
      const end = (timeline.length + 1) * 1000;
      for (; next < samples.length && samples[next]![0] < end; next += 1)
        took.push(samples[next]![1]);
      whole.recordAll(took);
      timeline.push(secondOf(timeline.length, took));
    }
    const groups = [sampleGroup(whole.count, { distributions: { endToEnd: whole.toJSON() } })];
    const scheduled = milliseconds(look * 1000);
    yield { look, groups, timeline: [...timeline], scheduled };
  }
}

/** The first look that is sure about a bound, in seconds since the run began, and whether it finds the bound kept. */
interface Decision {
  readonly at: number;
  readonly isKept: boolean;
}

/**
 * Returns when and how one run decides whether a quantile is below each part of its truth; `null` if it does not
 * decide.
 */
export const decisionsOf = (
  process: Process,
  { q, parts, run, atMost }: { q: number; parts: readonly number[]; run: number; atMost: number },
): readonly (Decision | null)[] => {
  const truth = process.truth(q, perSecond);
  const objectives = parts.map((part) => boundAt(q, part * truth));
  const decided = new Map<Objective, Decision>();
  for (const { look, ...known } of resultsAtLooks(process, run, atMost)) {
    const open = objectives.filter((each) => !decided.has(each));
    if (open.length === 0) break;
    const result = healthyResult({ plan: { ...runPlan, objectives: open }, ...known });
    const undecided = new Set(undecidedObjectives(result));
    for (const objective of open) {
      if (undecided.has(objective)) continue;
      const { observed } = observeObjective(result, objective);
      decided.set(objective, { at: look, isKept: groundsFor(objective, observed) === 'kept' });
    }
  }
  return objectives.map((objective) => decided.get(objective) ?? null);
};

/**
 * Returns whether a decision on a bound at a part of the truth is wrong. At the truth itself, any decision is wrong.
 */
export const isWrong = (part: number, decision: Decision | null): boolean =>
  decision !== null && (part === 1 || decision.isKept !== part > 1);
