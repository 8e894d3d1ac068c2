import type { Arrival } from '../model/arrival.ts';
import type { ClipShelf } from '../model/clip.ts';
import {
  entryName,
  type Basis,
  type Forecast,
  type ForecastGroup,
  type Fullest,
  type LimitForecast,
  type LimitUnit,
} from '../model/forecast.ts';
import { FullestMinute } from '../model/fullest-minute.ts';
import type { Load, Plan } from '../model/plan.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { modelOf, type Traffic } from '../model/traffic.ts';
import type { Workload } from '../model/workload.ts';
import { expectedCount, scheduledEnd } from '../schedule/stages.ts';
import { needsOf } from '../traffic/needs.ts';
import { contentOf } from './content.ts';
import { loopsFor } from './loops-for.ts';
import { NeedTally, totalNeed } from './need-tally.ts';
import { PaceBound } from './pace-bound.ts';

/** A plan to be foreseen, with what its requests upload and ask. */
export interface Foreseeable {
  readonly plan: Plan;
  readonly clips: ClipShelf;
  readonly workload: Workload;
  /** How long every answer is taken to last, where users wait for theirs; above 0. */
  readonly answerTime: Milliseconds;
}

export type Foreseen = Pick<
  Forecast,
  'total' | 'groups' | 'answerTime' | 'lookedInto' | 'limits' | 'pace'
>;

/** Making prompts takes time: of more requests than these only some are looked into. */
const mostLooks = 50_000;

/** Whether a load's requests are asked for sure. */
const askedFor = {
  open: 'exact',
  trace: 'exact',
  iterations: 'at-most',
  closed: 'estimate',
  saturate: 'estimate',
} as const satisfies Record<Load['kind'], Basis>;

interface Cell {
  readonly stage: string;
  readonly traffic: Traffic;
  readonly key: string | null;
  readonly tally: NeedTally;
}

const groupOf = ({ stage, traffic, key, tally }: Cell): ForecastGroup => ({
  stage,
  traffic: traffic.kind,
  model: modelOf(traffic),
  entry: entryName(traffic),
  key,
  ...tally.told(),
});

/** How many requests those make, nearly, who ask as fast as they are answered; 0 for all other loads. */
export const askedFreely = (load: Load, answerTime: number): number => {
  if (load.kind === 'saturate') return (load.connections * load.duration) / answerTime;
  return load.kind === 'closed' ? (load.users * load.duration) / (load.thinkTime + answerTime) : 0;
};

/** Whether answers decide when the next request goes. */
const isUsers = ({ kind }: Load): boolean =>
  kind === 'closed' || kind === 'iterations' || kind === 'saturate';

/** Walks the arrivals of a plan as its run would, and sends nothing. */
class Foresight {
  readonly #of: Foreseeable;
  readonly #lookedInto: number;
  readonly #cells = new Map<string, Cell>();
  readonly #byKey = new Map<string, FullestMinute>();
  readonly #all = new FullestMinute();
  readonly #pace: PaceBound;
  #walked = 0;

  constructor(of: Foreseeable) {
    this.#of = of;
    const { stages } = of.plan;
    const count = stages.reduce(
      (sum, { load }) => sum + (expectedCount(load) ?? askedFreely(load, of.answerTime)),
      0,
    );
    this.#lookedInto = Math.max(1, Math.ceil(count / mostLooks));
    this.#pace = new PaceBound(of.plan);
  }

  walk(): Foreseen {
    const { plan, clips, workload, answerTime } = this.#of;
    const credentials = plan.keys.map(({ name, weight }) => ({ name, weight, value: '' }));
    const order = {
      ...{ plan, clips, workload, credentials, runId: '', slice: { index: 0, count: 1 } },
      ...{ headers: {}, userAgent: '', redact: (text: string) => text },
    };
    const note = (arrival: Arrival): void => {
      const { traffic, credential, ...drawing } = contentOf(order, arrival);
      this.#note(arrival, traffic, credential.name, () => needsOf(traffic, { ...drawing, clips }));
    };
    const loops = loopsFor(order, {
      scheduled: note,
      asked: (arrival, returned) => {
        note(arrival);
        returned?.(instant(arrival.due + answerTime));
      },
    });
    for (const loop of loops) loop.poll(scheduledEnd(plan));
    return this.#told();
  }

  #note(
    { stage: position, due }: Arrival,
    traffic: Traffic,
    drawnKey: string,
    look: () => ReturnType<typeof needsOf>,
  ): void {
    const { plan } = this.#of;
    const key = plan.pace === null || plan.keys.length === 1 ? drawnKey : null;
    const { tally } = this.#cellOf(position, traffic, key);
    tally.count(due >= plan.warmUp);
    let tokens = tally.meanTokens();
    if (this.#walked % this.#lookedInto === 0 || tokens === 0) {
      const needs = look();
      tally.look(needs);
      tokens = needs.input + (needs.output ?? 0);
    }
    this.#walked += 1;
    this.#weigh(position, due, tokens, drawnKey);
  }

  #weigh(position: number, due: Instant, tokens: number, key: string): void {
    const { plan } = this.#of;
    const minute = this.#byKey.get(key) ?? new FullestMinute();
    this.#byKey.set(key, minute);
    minute.add(due, tokens);
    this.#all.add(due, tokens);
    if (!isUsers(plan.stages[position]!.load)) this.#pace.add(due, tokens);
  }

  #cellOf(position: number, traffic: Traffic, key: string | null): Cell {
    const { name: stage, traffic: mix, load } = this.#of.plan.stages[position]!;
    const place = JSON.stringify([position, mix.indexOf(traffic), key]);
    const cell = this.#cells.get(place);
    if (cell !== undefined) return cell;
    const fresh = { stage, traffic, key, tally: new NeedTally(askedFor[load.kind]) };
    this.#cells.set(place, fresh);
    return fresh;
  }

  #told(): Foreseen {
    const { plan, answerTime } = this.#of;
    const groups = [...this.#cells.values()].map(groupOf);
    return {
      total: totalNeed(groups),
      groups,
      answerTime: plan.stages.some(({ load }) => isUsers(load)) ? answerTime : null,
      lookedInto: this.#lookedInto,
      limits: limitsOf(
        plan,
        [...this.#byKey].map(([key, minute]) => ({ key, ...minute.fullest() })),
        this.#all.fullest(),
      ),
      pace: this.#pace.forecast(),
    };
  }
}

/** How much of its limits a minute takes; limits that are not declared have no part. */
const parts = (
  { limits }: Plan,
  { requests, tokens }: Fullest,
): readonly (readonly [LimitUnit, number])[] => [
  ...(limits.requestsPerMinute === null
    ? []
    : [['requests', requests / limits.requestsPerMinute] as const]),
  ...(limits.tokensPerMinute === null
    ? []
    : [['tokens', tokens / limits.tokensPerMinute] as const]),
];

const limitsOf = (plan: Plan, keys: LimitForecast['keys'], all: Fullest): LimitForecast => {
  const taken = parts(plan, all).toSorted(([, a], [, b]) => b - a)[0] ?? null;
  return {
    keys,
    all,
    binds: taken === null ? null : taken[0],
    keysNeeded: taken === null ? null : Math.max(1, Math.ceil(taken[1])),
    exceeded: keys
      .filter((key) => parts(plan, key).some(([, part]) => part > 1))
      .map(({ key }) => key),
  };
};

/** What a plan will take, by its own schedule and its own draws. */
export const foresee = (of: Foreseeable): Foreseen => new Foresight(of).walk();
