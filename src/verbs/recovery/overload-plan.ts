import type { OpenLoad, Plan, Stage } from '../../model/plan/plan.ts';
import type { Retry } from '../../model/plan/retry.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import type { PolicyPhases, RetryPolicy } from './model/seen-request.ts';

export interface OverloadTerms {
  readonly policies: readonly RetryPolicy[];
  /** The rate of the overload, as a multiple of the scenario's rate. */
  readonly times: number;
  /**
   * The lengths in ms of four parts: the load before the overload, the overload, the same load after the overload, and
   * no load.
   */
  readonly base: number;
  readonly overload: number;
  readonly watch: number;
  readonly pause: number;
}

/** The retries for a scenario without retries: those of OpenAI's own clients. */
const usualRetry: Retry = {
  attempts: 3,
  base: milliseconds(500),
  cap: milliseconds(8000),
  on: ['limited', 'server-error', 'connect', 'unanswered'],
};

export const retryIn = ({ retry }: Pick<Plan, 'retry'>): Retry => retry ?? usualRetry;

const retryOf = (policy: RetryPolicy, retry: Retry): Retry | null =>
  ({ none: null, 'retry-after': retry, backoff: { ...retry, ignoresWaits: true as const } })[
    policy
  ];

/** Returns when the phases of each policy begin and end. The scenario's warm-up comes before the first base. */
export const phasesOf = (
  { policies, base, overload, watch, pause }: OverloadTerms,
  warmUp: number,
): readonly PolicyPhases[] =>
  policies.map((policy, place) => {
    const from = warmUp + place * (base + overload + watch + pause);
    const peak = from + base;
    const gone = peak + overload;
    return { policy, from, peak, gone, until: gone + watch };
  });

/** Returns the only stage of a plan and its steady load. Throws a `Problem` for any other plan. */
const steadyLoadOf = ({ stages, populations }: Plan): { stage: Stage; load: OpenLoad } => {
  const [stage, ...more] = stages;
  const expected =
    'weir recovery expects a scenario with one load at a steady rate, whose multiple is the overload';
  if (populations !== undefined)
    throw new Problem(`populations: ${expected}; got populations. Leave them out`);
  if (stage === undefined || more.length > 0)
    throw new Problem(`stages: ${expected}; got ${stages.length} stages. Give it a lone "load"`);
  const { load } = stage;
  const curve = load.kind === 'open' ? load.curve : [];
  if (load.kind !== 'open' || curve.length !== 1 || curve[0]!.from !== curve[0]!.to) {
    const got =
      load.kind === 'open'
        ? 'a rate that changes'
        : load.kind === 'trace'
          ? 'a trace'
          : `${load.kind}, whose users send less while a target is slow`;
    throw new Problem(`load: ${expected}: constant, poisson or gamma; got ${got}`);
  }
  return { stage, load };
};

/** Returns the rate of a scenario's load per second. */
export const rateOf = (plan: Plan): number => steadyLoadOf(plan).load.curve[0]!.from;

/**
 * Returns the plan of the overload. The policies come one after another, each as a population of its own. A population
 * has the scenario's load, then a multiple of it, and then the load again.
 */
export const overloadPlan = (
  plan: Plan,
  terms: OverloadTerms,
  phases: readonly PolicyPhases[],
): Plan => {
  const { stage, load } = steadyLoadOf(plan);
  if (plan.pace !== null)
    throw new Problem('pace: requests that wait for a pace make no overload. Leave "pace" out');
  const rate = load.curve[0]!.from;
  const atRate = (times: number, from: number, to: number): OpenLoad => ({
    ...load,
    curve: [
      {
        from: perSecond(rate * times),
        to: perSecond(rate * times),
        duration: milliseconds(to - from),
      },
    ],
  });
  // The warm-up belongs to the first population.
  const begins = phases.map(({ from }, place) => (place === 0 ? 0 : from));
  return {
    ...plan,
    stages: phases.flatMap(({ policy, peak, gone, until }, place) =>
      (
        [
          ['base', 1, begins[place]!, peak],
          ['overload', terms.times, peak, gone],
          ['after', 1, gone, until],
        ] as const
      ).map(([name, times, from, to], part): Stage => ({
        ...stage,
        name: `${policy}/${name}`,
        population: policy,
        stream: 3 * place + part,
        load: atRate(times, from, to),
      })),
    ),
    populations: phases.map(({ policy }, place) => ({
      name: policy,
      after: milliseconds(begins[place]!),
      keys: plan.keys.map(({ name, weight }) => ({ name, weight })),
      retry: retryOf(policy, retryIn(plan)),
    })),
    retry: null,
    objectives: [],
    perRequest: [],
  };
};
