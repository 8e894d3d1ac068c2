import type { Arrival } from '../../model/workload/arrival.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import {
  entryName,
  type AmountBasis,
  type Forecast,
  type ForecastGroup,
  type MinutePeak,
  type LimitForecast,
  type LimitUnit,
} from '../../model/plan/forecast.ts';
import { BusiestMinute } from '../../model/plan/busiest-minute.ts';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { type Instant, instant, type Milliseconds } from '../../model/quantity.ts';
import { modelOf, type Traffic } from '../../model/workload/traffic.ts';
import type { Workload } from '../../model/workload/workload.ts';
import { expectedArrivalCount, scheduledEnd } from '../../schedule/stages.ts';
import { requestNeedsOf } from '../../traffic/request/request-needs.ts';
import { drawRequestContent } from '../request-content.ts';
import { createLoops } from '../create-loops.ts';
import { NeedsTally, totalNeed } from './needs-tally.ts';
import { PaceForecaster } from './pace-forecaster.ts';

/** A plan to forecast, with the clips and prompts of its requests. */
export interface ForecastInput {
  readonly plan: Plan;
  readonly clips: ClipLibrary;
  readonly workload: Workload;
  /** How long users are assumed to wait for each answer; above 0. */
  readonly answerTime: Milliseconds;
}

export type PlanForecast = Pick<
  Forecast,
  'total' | 'groups' | 'answerTime' | 'lookedInto' | 'limits' | 'pace'
>;

/** Prompts take time to make: of more requests than these only some are sampled. */
const maxSampledRequests = 50_000;

/** How certain the number of a load's requests is. */
const basisByLoad = {
  open: 'exact',
  trace: 'exact',
  iterations: 'at-most',
  closed: 'estimate',
  saturate: 'estimate',
} as const satisfies Record<Load['kind'], AmountBasis>;

interface GroupNeeds {
  readonly stage: string;
  readonly traffic: Traffic;
  readonly key: string | null;
  readonly tally: NeedsTally;
}

const groupOf = ({ stage, traffic, key, tally }: GroupNeeds): ForecastGroup => ({
  stage,
  traffic: traffic.kind,
  model: modelOf(traffic),
  entry: entryName(traffic),
  key,
  ...tally.total(),
});

/** About how many requests a closed or saturating load sends; 0 for all other loads. */
export const estimatedRequests = (load: Load, answerTime: number): number => {
  if (load.kind === 'saturate') return (load.connections * load.duration) / answerTime;
  return load.kind === 'closed' ? (load.users * load.duration) / (load.thinkTime + answerTime) : 0;
};

/** Whether answers decide when the next request is sent. */
const isClosedLoop = ({ kind }: Load): boolean =>
  kind === 'closed' || kind === 'iterations' || kind === 'saturate';

/** Walks the arrivals of a plan as its run would, without sending them. */
class ForecastWalk {
  readonly #input: ForecastInput;
  readonly #sampleEvery: number;
  readonly #groups = new Map<string, GroupNeeds>();
  readonly #minuteByKey = new Map<string, BusiestMinute>();
  readonly #minuteOfAllKeys = new BusiestMinute();
  readonly #pace: PaceForecaster;
  #walked = 0;

  constructor(input: ForecastInput) {
    this.#input = input;
    const { stages } = input.plan;
    const count = stages.reduce(
      (sum, { load }) =>
        sum + (expectedArrivalCount(load) ?? estimatedRequests(load, input.answerTime)),
      0,
    );
    this.#sampleEvery = Math.max(1, Math.ceil(count / maxSampledRequests));
    this.#pace = new PaceForecaster(input.plan);
  }

  walk(): PlanForecast {
    const { plan, clips, workload, answerTime } = this.#input;
    const credentials = plan.keys.map(({ name, weight }) => ({ name, weight, value: '' }));
    const options = {
      plan,
      clips,
      workload,
      credentials,
      runId: '',
      slice: { index: 0, count: 1 },
      headers: {},
      userAgent: '',
      redact: (text: string) => text,
    };
    const addArrival = (arrival: Arrival): void => {
      const { traffic, credential, ...drawing } = drawRequestContent(options, arrival);
      this.#addRequest(arrival, traffic, credential.name, () =>
        requestNeedsOf(traffic, { ...drawing, clips }),
      );
    };
    const loops = createLoops(options, {
      scheduled: addArrival,
      byUser: (arrival, returned) => {
        addArrival(arrival);
        returned?.(instant(arrival.due + answerTime));
      },
    });
    for (const loop of loops) loop.poll(scheduledEnd(plan));
    return this.#result();
  }

  #addRequest(
    { stage: position, due }: Arrival,
    traffic: Traffic,
    drawnKey: string,
    computeNeeds: () => ReturnType<typeof requestNeedsOf>,
  ): void {
    const { plan } = this.#input;
    const key = plan.pace === null || plan.keys.length === 1 ? drawnKey : null;
    const { tally } = this.#groupFor(position, traffic, key);
    tally.count(due >= plan.warmUp);
    let tokens = tally.meanTokens();
    if (this.#walked % this.#sampleEvery === 0 || tokens === 0) {
      const needs = computeNeeds();
      tally.addSample(needs);
      tokens = needs.input + (needs.output ?? 0);
    }
    this.#walked += 1;
    this.#addToLimits(position, due, tokens, drawnKey);
  }

  #addToLimits(position: number, due: Instant, tokens: number, key: string): void {
    const { plan } = this.#input;
    const minute = this.#minuteByKey.get(key) ?? new BusiestMinute();
    this.#minuteByKey.set(key, minute);
    minute.add(due, tokens);
    this.#minuteOfAllKeys.add(due, tokens);
    if (!isClosedLoop(plan.stages[position]!.load)) this.#pace.add(due, tokens);
  }

  #groupFor(position: number, traffic: Traffic, key: string | null): GroupNeeds {
    const { name: stage, traffic: mix, load } = this.#input.plan.stages[position]!;
    const place = JSON.stringify([position, mix.indexOf(traffic), key]);
    const cell = this.#groups.get(place);
    if (cell !== undefined) return cell;
    const created = { stage, traffic, key, tally: new NeedsTally(basisByLoad[load.kind]) };
    this.#groups.set(place, created);
    return created;
  }

  #result(): PlanForecast {
    const { plan, answerTime } = this.#input;
    const groups = [...this.#groups.values()].map(groupOf);
    return {
      total: totalNeed(groups),
      groups,
      answerTime: plan.stages.some(({ load }) => isClosedLoop(load)) ? answerTime : null,
      lookedInto: this.#sampleEvery,
      limits: limitsOf(
        plan,
        [...this.#minuteByKey].map(([key, minute]) => ({ key, ...minute.peak() })),
        this.#minuteOfAllKeys.peak(),
      ),
      pace: this.#pace.forecast(),
    };
  }
}

/** The shares of the declared limits that a minute uses. */
const limitShares = (
  { limits }: Plan,
  { requests, tokens }: MinutePeak,
): readonly (readonly [LimitUnit, number])[] => [
  ...(limits.requestsPerMinute === null
    ? []
    : [['requests', requests / limits.requestsPerMinute] as const]),
  ...(limits.tokensPerMinute === null
    ? []
    : [['tokens', tokens / limits.tokensPerMinute] as const]),
];

const limitsOf = (plan: Plan, keys: LimitForecast['keys'], all: MinutePeak): LimitForecast => {
  const largestShare = limitShares(plan, all).toSorted(([, a], [, b]) => b - a)[0] ?? null;
  return {
    keys,
    all,
    binds: largestShare === null ? null : largestShare[0],
    keysNeeded: largestShare === null ? null : Math.max(1, Math.ceil(largestShare[1])),
    exceeded: keys
      .filter((key) => limitShares(plan, key).some(([, share]) => share > 1))
      .map(({ key }) => key),
  };
};

/** Forecasts what a plan will use, from its own schedule and draws. */
export const forecastPlan = (input: ForecastInput): PlanForecast => new ForecastWalk(input).walk();
