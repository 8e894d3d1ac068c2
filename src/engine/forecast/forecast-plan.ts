import type { Arrival } from '../../model/workload/arrival.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import {
  entryName,
  type AmountBasis,
  type CachedShare,
  type Forecast,
  type ForecastGroup,
  type MinutePeak,
  type LimitForecast,
  type PaceForecast,
} from '../../model/plan/forecast.ts';
import { BusiestMinute } from '../../model/plan/busiest-minute.ts';
import { paceAmounts } from '../../model/plan/pace.ts';
import {
  type LimitsPerMinute,
  limitsOfKey,
  sumOfLimits,
} from '../../model/plan/limits-per-minute.ts';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { targetNameOf } from '../../model/plan/targets.ts';
import { instant, type Milliseconds, type Instant, milliseconds } from '../../model/quantity.ts';
import { modelOf, type Traffic } from '../../model/workload/traffic.ts';
import type { Workload } from '../../model/workload/workload.ts';
import { expectedArrivalCount, scheduledEnd } from '../../schedule/stages.ts';
import { requestNeedsOf } from '../../traffic/request/request-needs.ts';
import { drawRequestContent, type RequestContent } from '../request-content.ts';
import { createLoops, pollInOrder } from '../load-loop.ts';
import { NeedsTally, totalNeed } from './needs-tally.ts';
import { sumOf } from '../../model/sums.ts';

/** A rule for the release of requests: any period of `apart` ms contains at most `most` releases. */
class ReleaseRule {
  readonly #most: number;
  readonly #apart: number;
  /** The instants of the last `most` releases, as a ring buffer. */
  readonly #releases: number[] = [];
  #count = 0;

  constructor(most: number, apart: number) {
    this.#most = most;
    this.#apart = apart;
  }

  earliest(): number {
    return (this.#releases[this.#count % this.#most] ?? Number.NEGATIVE_INFINITY) + this.#apart;
  }

  add(release: number): void {
    this.#releases[this.#count % this.#most] = release;
    this.#count += 1;
  }
}

const rulesOf = ({ pace, keys }: Plan): readonly ReleaseRule[] => {
  if (pace === null) return [];
  const apart = pace.window + pace.margin;
  const bounds = paceAmounts(pace, keys.length).map(({ requests, burst }) => {
    const [limit, atOnce] = [requests ?? Number.POSITIVE_INFINITY, burst ?? requests];
    return { limit, atOnce: Math.min(limit, atOnce ?? Number.POSITIVE_INFINITY) };
  });
  const limit = sumOf(bounds, (each) => each.limit);
  if (!Number.isFinite(limit)) return [];
  const requests = new ReleaseRule(limit, apart);
  if (bounds.every((each) => each.atOnce === each.limit)) return [requests];
  // The release rule uses the shortest time between two bursts of any key, so the forecast never overstates the wait.
  const soonest = Math.min(...bounds.map((each) => (each.atOnce * apart) / each.limit));
  return [
    requests,
    new ReleaseRule(
      sumOf(bounds, (each) => each.atOnce),
      soonest,
    ),
  ];
};

/**
 * Computes the shortest wait that a plan's pace can cause. If all keys together may send n requests per window, each
 * request is sent at least one window and the margin after the n-th request before this request. Bursts are limited in
 * the same way: n is then the number of requests in a burst, and the time between two bursts replaces the window. The
 * wait for tokens is reported separately, because answers may be shorter than their maximum.
 */
export class PaceForecaster {
  readonly #plan: Plan;
  readonly #rules: readonly ReleaseRule[];
  #count = 0;
  #lastRelease = 0;
  #longestWait = 0;
  #unsendable = 0;
  #tokens = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#rules = rulesOf(plan);
  }

  /**
   * Adds a request of an open load. Requests of simulated users or of connections are not added: if these must wait,
   * they send fewer requests, so no queue grows.
   */
  add(due: Instant, tokens: number): void {
    const { pace, grace, deadlines } = this.#plan;
    if (pace === null) return;
    const release = Math.max(due, ...this.#rules.map((rule) => rule.earliest()));
    for (const rule of this.#rules) rule.add(release);
    this.#count += 1;
    this.#tokens += tokens;
    this.#lastRelease = Math.max(this.#lastRelease, release);
    this.#longestWait = Math.max(this.#longestWait, release - due);
    const timeout = deadlines.total ?? Number.POSITIVE_INFINITY;
    const isLate = release >= scheduledEnd(this.#plan) + grace || release - due > timeout;
    if (isLate) this.#unsendable += 1;
  }

  /** Returns the forecast; `null` if the plan has no pace, or if all its loads simulate users or connections. */
  forecast(): PaceForecast | null {
    const { pace, keys } = this.#plan;
    if (pace === null || this.#count === 0) return null;
    const each = paceAmounts(pace, keys.length);
    const tokens = sumOf(each, (key) => key.tokens ?? Number.POSITIVE_INFINITY);
    const windows = Number.isFinite(tokens) ? Math.ceil(this.#tokens / tokens) : 1;
    return {
      lastRelease: milliseconds(this.#lastRelease),
      longestWait: milliseconds(this.#longestWait),
      unsendable: this.#unsendable,
      tokenTime: milliseconds(Math.max(0, windows - 1) * (pace.window + pace.margin)),
    };
  }
}

export interface ForecastInput {
  readonly plan: Plan;
  readonly clips: ClipLibrary;
  readonly workload: Workload;
  /** The assumed time until a user receives an answer, in ms; above 0. */
  readonly answerTime: Milliseconds;
  /** The assumed cached shares of prompts; absent if no shares are assumed. */
  readonly cachedShares?: readonly CachedShare[] | undefined;
}

export type PlanForecast = Pick<
  Forecast,
  'total' | 'groups' | 'answerTime' | 'lookedInto' | 'limits' | 'pace'
>;

/**
 * If a plan has at most this many requests, the forecast prepares each request. Otherwise, the forecast prepares only a
 * sample of the requests, because preparing prompts takes time.
 */
const maxSampledRequests = 50_000;

/** How certain the number of requests is for each kind of load. */
const basisByLoad = {
  open: 'exact',
  trace: 'exact',
  iterations: 'at-most',
  closed: 'estimate',
  saturate: 'estimate',
} as const satisfies Record<Load['kind'], AmountBasis>;

interface GroupNeeds {
  /** The position of the stage in the plan. */
  readonly position: number;
  readonly facts: Pick<
    ForecastGroup,
    'stage' | 'population' | 'target' | 'traffic' | 'model' | 'entry' | 'key'
  >;
  readonly tally: NeedsTally;
}

/** Returns approximately how many requests a closed or saturating load sends; 0 for any other load. */
export const estimatedRequests = (load: Load, answerTime: number): number => {
  if (load.kind === 'saturate') return (load.connections * load.duration) / answerTime;
  return load.kind === 'closed' ? (load.users * load.duration) / (load.thinkTime + answerTime) : 0;
};

const isClosedLoop = ({ kind }: Load): boolean =>
  kind === 'closed' || kind === 'iterations' || kind === 'saturate';

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
    const count = sumOf(
      stages,
      ({ load }) => expectedArrivalCount(load) ?? estimatedRequests(load, input.answerTime),
    );
    this.#sampleEvery = Math.max(1, Math.ceil(count / maxSampledRequests));
    this.#pace = new PaceForecaster(input.plan);
  }

  walk(): PlanForecast {
    const { plan, workload, answerTime } = this.#input;
    const credentials = plan.keys.map(({ name, weight }) => ({ name, weight, value: '' }));
    const source = { plan, workload, credentials, runId: '' };
    const add = (arrival: Arrival): void => this.#add(arrival, drawRequestContent(source, arrival));
    const slice = { index: 0, count: 1 };
    const loops = createLoops(
      { plan, workload, slice },
      {
        scheduled: add,
        byUser: (arrival, returned) => {
          add(arrival);
          returned?.(instant(arrival.due + answerTime));
        },
      },
    );
    pollInOrder(loops, scheduledEnd(plan), () => true);
    return this.#result();
  }

  #add({ stage, due }: Arrival, { traffic, credential, hangUp, ...drawing }: RequestContent): void {
    const { plan, clips } = this.#input;
    const { name } = credential;
    const key = plan.pace === null || plan.keys.length === 1 ? name : null;
    const { tally } = this.#groupFor(stage, traffic, key);
    tally.count(due >= plan.warmUp, hangUp !== null);
    let tokens = tally.meanTokens();
    if (this.#walked % this.#sampleEvery === 0 || tokens === 0) {
      const needs = requestNeedsOf(traffic, {
        ...drawing,
        clips,
        assumed: this.#assumedFor(traffic),
      });
      tally.addSample(needs);
      tokens = needs.input + (needs.output ?? 0);
    }
    this.#walked += 1;
    const minute = this.#minuteByKey.get(name) ?? new BusiestMinute();
    this.#minuteByKey.set(name, minute);
    minute.add(due, tokens);
    this.#minuteOfAllKeys.add(due, tokens);
    if (!isClosedLoop(plan.stages[stage]!.load)) this.#pace.add(due, tokens);
  }

  #assumedFor(traffic: Traffic): CachedShare | undefined {
    return this.#input.cachedShares?.find(
      (each) => each.traffic === traffic.kind && each.model === modelOf(traffic),
    );
  }

  #groupFor(position: number, traffic: Traffic, key: string | null): GroupNeeds {
    const { name: stage, traffic: mix, population } = this.#input.plan.stages[position]!;
    const target = targetNameOf(this.#input.plan, position);
    const place = JSON.stringify([position, mix.indexOf(traffic), key]);
    const known = this.#groups.get(place);
    if (known !== undefined) return known;
    const facts = {
      stage,
      ...(population === undefined ? {} : { population }),
      ...(target === undefined ? {} : { target }),
      traffic: traffic.kind,
      model: modelOf(traffic),
      entry: entryName(traffic),
      key,
    };
    const group = {
      position,
      facts,
      tally: new NeedsTally(this.#basisOf(position), this.#assumedFor(traffic) !== undefined),
    };
    this.#groups.set(place, group);
    return group;
  }

  /** Returns how certain the number of requests of a stage is. If the stage can end early, the number is a maximum. */
  #basisOf(position: number): AmountBasis {
    const { stages, until } = this.#input.plan;
    const basis = basisByLoad[stages[position]!.load.kind];
    const mayEndEarly = until !== undefined && position === stages.length - 1;
    return mayEndEarly && basis === 'exact' ? 'at-most' : basis;
  }

  #result(): PlanForecast {
    const { plan, answerTime } = this.#input;
    const inOrder = [...this.#groups.values()].toSorted((a, b) => a.position - b.position);
    const groups = inOrder.map(({ facts, tally }) => ({
      ...facts,
      ...tally.total(),
    }));
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

/**
 * Returns, for each declared limit, the share of the limit that the requests or tokens of a minute use. The largest
 * share comes first.
 */
const limitShares = (limits: LimitsPerMinute, { requests, tokens }: MinutePeak) =>
  (
    [
      ['requests', requests, limits.requestsPerMinute],
      ['tokens', tokens, limits.tokensPerMinute],
    ] as const
  )
    .flatMap(([unit, used, limit]) => (limit === null ? [] : [{ unit, share: used / limit }]))
    .toSorted((a, b) => b.share - a.share);

const limitsOf = (plan: Plan, keys: LimitForecast['keys'], all: MinutePeak): LimitForecast => {
  const ofAllKeys = {
    requestsPerMinute: sumOfLimits(plan, 'requestsPerMinute'),
    tokensPerMinute: sumOfLimits(plan, 'tokensPerMinute'),
  };
  const count = plan.keys.length;
  const manyMinutes = { requests: all.requests * count, tokens: all.tokens * count };
  const largest = limitShares(ofAllKeys, manyMinutes)[0];
  return {
    keys,
    all,
    binds: largest?.unit ?? null,
    keysNeeded:
      largest === undefined || plan.targets !== undefined
        ? null
        : Math.max(1, Math.ceil(largest.share)),
    exceeded: keys
      .filter((key) => limitShares(limitsOfKey(plan, key.key), key).some(({ share }) => share > 1))
      .map(({ key }) => key),
  };
};

export const forecastPlan = (input: ForecastInput): PlanForecast => new ForecastWalk(input).walk();
