import { nextLook, undecidedObjectives } from '../../judge/objectives/stopping-rule.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { findWarmUp } from '../../model/result/found-warm-up.ts';
import { groupRecorder } from '../../record/groups.ts';
import { groupsAfter } from '../../record/groups-after.ts';
import { timelineRecorder } from '../../record/timeline.ts';
import { timeText } from '../../report/text/number-text.ts';

const openFigures = (plan: Plan) => {
  const [groups, timeline] = [groupRecorder(plan), timelineRecorder()];
  const state = { groups: groups.restore([]), timeline: timeline.restore([]) };
  return {
    state,
    record: (observation: Observation): void => {
      groups.record(state.groups, observation);
      timeline.record(state.timeline, observation);
    },
    add: (other: typeof state): void => {
      groups.add(state.groups, other.groups);
      timeline.add(state.timeline, other.timeline);
    },
    /**
     * Returns everything that is known at an instant. If the run determines its warm-up itself, the returned data
     * include the end of the warm-up.
     */
    stored: (at: Instant) => {
      const stored = timeline.store(state.timeline);
      const warmUp = findWarmUp(plan, stored, milliseconds(at));
      const known = warmUp === null ? state.groups : groupsAfter(plan, state.groups, warmUp.end);
      return {
        groups: groups.store(known),
        timeline: stored,
        ...(warmUp === null ? {} : { warmUp }),
      };
    },
  };
};

/** Returns a result that contains only the data for judging objectives. */
const resultUpTo = (
  plan: Plan,
  until: Instant,
  stored: Pick<Result, 'groups' | 'timeline' | 'warmUp'>,
): Result => ({
  format: 'result/1',
  weir: '',
  runId: '',
  plan: stored.warmUp === undefined ? plan : { ...plan, warmUp: stored.warmUp.end },
  planHash: '',
  baseUrl: '',
  startedAt: '',
  slices: [],
  scheduled: milliseconds(until),
  ended: milliseconds(until),
  partial: null,
  notes: [],
  ...stored,
  failures: [],
  ledger: [],
  gatewayCounters: null,
});

/**
 * A check does not wait for the last arrivals if only one of them is missing, or if the missing arrivals are at most
 * this share of the observations so far. Otherwise, one request that hangs would delay the check forever.
 */
const mayBeMissing = 0.001;

/**
 * A check of whether every objective is sure. The check uses the arrivals that were due before its instant, and waits
 * until almost all these arrivals have ended.
 */
interface Look {
  readonly at: Instant;
  /**
   * The check is given up if arrivals are still missing at this instant. A later check is then better than one without
   * these arrivals.
   */
  readonly givenUpAt: number;
  missing: number;
}

/**
 * Checks, at growing intervals, whether every objective is sure. A check waits until almost all arrivals that were due
 * before the check have ended. Otherwise, mainly fast requests would count, since fast requests end first.
 */
export class Decider {
  readonly #plan: Plan;
  readonly #settled: ReturnType<typeof openFigures>;
  #later: ReturnType<typeof openFigures>;
  #observed = 0;
  /** The check that waits for its arrivals; `null` if no check waits. */
  #look: Look | null = null;
  #next: number;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#settled = openFigures(plan);
    this.#later = openFigures(plan);
    this.#next = nextLook(plan, 0);
  }

  record(observation: Observation): void {
    this.#observed += 1;
    if (this.#look !== null && observation.due > this.#look.at)
      return this.#later.record(observation);
    if (this.#look !== null) this.#look.missing -= 1;
    this.#settled.record(observation);
  }

  /**
   * Returns whether every objective is sure. Must be called about once a second, after all observations until `now` are
   * recorded. `due` is the number of arrivals that were due until `now`.
   */
  isDecided(now: Instant, due: number): boolean {
    const look = this.#currentLook(now, due);
    if (look === null || look.missing > Math.max(1, this.#observed * mayBeMissing)) return false;
    const result = resultUpTo(this.#plan, look.at, this.#settled.stored(look.at));
    this.#endLook(look.at);
    return undecidedObjectives(result).length === 0;
  }

  #currentLook(now: Instant, due: number): Look | null {
    if (this.#look !== null && now >= this.#look.givenUpAt) this.#endLook(this.#look.at);
    if (this.#look !== null || now < this.#next) return this.#look;
    const givenUpAt = nextLook(this.#plan, nextLook(this.#plan, now));
    this.#look = { at: now, missing: due - this.#observed, givenUpAt };
    return this.#look;
  }

  #endLook(at: Instant): void {
    this.#settled.add(this.#later.state);
    this.#later = openFigures(this.#plan);
    this.#next = nextLook(this.#plan, at);
    this.#look = null;
  }
}

/**
 * Returns a sentence that says when a run with `until: decided` ended, and which objectives are not sure. Returns
 * nothing for any other run, and for a run that was stopped.
 */
export const decisionNotes = (result: Result, decidedAt: Instant | null): readonly string[] => {
  const { plan, partial, scheduled } = result;
  if (plan.until === undefined || partial !== null) return [];
  const unsure = undecidedObjectives(result).map(({ text }) => text);
  const notSure = `it is not sure of ${unsure.join(', ')}`;
  if (decidedAt === null) {
    const lasted = `The run lasted as long as it may, ${timeText(scheduled)}`;
    return [
      unsure.length === 0
        ? `${lasted}; every objective is sure by its samples.`
        : `${lasted}, and ${notSure}.`,
    ];
  }
  const ended = `The run ended after ${timeText(decidedAt)}, since every objective was sure by its samples`;
  return [
    unsure.length === 0
      ? `${ended}. A change after that was not seen.`
      : `${ended}; with the last answers ${notSure}.`,
  ];
};
