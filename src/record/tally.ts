import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result, ResultFacts } from '../model/result/result.ts';
import { findWarmUp } from '../model/result/found-warm-up.ts';
import { exemplarRecorder } from './exemplars.ts';
import { failureRecorder } from './failures.ts';
import { groupRecorder } from './groups.ts';
import { groupsAfter } from './groups-after.ts';
import { ledgerRecorder } from './ledger.ts';
import { byText, type Recorder } from './recorder.ts';
import { continueSample, requestSampleRecorder } from './request-sample.ts';
import { timelineRecorder } from './timeline.ts';

const runTimelineRecorder = timelineRecorder();
const runLedgerRecorder = ledgerRecorder();

/** Makes the recorders of a run, one for each part of the result. */
const recordersOf = (plan: Plan) => ({
  groups: groupRecorder(plan),
  timeline: runTimelineRecorder,
  failures: failureRecorder,
  exemplars: exemplarRecorder,
  requestSample: requestSampleRecorder(plan),
  ledger: runLedgerRecorder,
});
type Recorders = ReturnType<typeof recordersOf>;
type Part = keyof Recorders;

/** The running sums of a run's observations. These sums change in place. */
export type Tally = {
  readonly [Name in Part]: Parameters<Recorders[Name]['record']>[0];
} & {
  readonly plan: Plan;
  readonly recorders: Recorders;
  /** The instant at which the last exchange ended, in ms. */
  ended: number;
};

const parts = ['groups', 'timeline', 'failures', 'exemplars', 'requestSample', 'ledger'] as const;

/** Returns the recorder of one part of a tally. The type of its states is `unknown`, since `part` may be any part. */
const recorderOf = ({ recorders }: Pick<Tally, 'recorders'>, part: Part) =>
  recorders[part] as Recorder<unknown, unknown>;

export type StoredPart = Partial<Pick<Result, Part>>;

const restoreTally = (plan: Plan, stored: StoredPart, ended: number): Tally => {
  const recorders = recordersOf(plan);
  const states = parts.map((part) => [
    part,
    recorderOf({ recorders }, part).restore(stored[part] ?? []),
  ]);
  return { ...(Object.fromEntries(states) as Pick<Tally, Part>), plan, recorders, ended };
};

export const emptyTally = (plan: Plan): Tally => restoreTally(plan, {}, 0);

/** Creates an empty tally for the next part of the run. The new tally is later moved into `before`. */
export const continueTally = (before: Tally): Tally => ({
  ...emptyTally(before.plan),
  requestSample: continueSample(before.requestSample),
});

export const fromResult = (result: Result): Tally =>
  restoreTally(result.plan, result, result.ended);

export const recordObservation = (tally: Tally, observation: Observation): void => {
  const { recorders } = tally;
  recorders.groups.record(tally.groups, observation);
  recorders.timeline.record(tally.timeline, observation);
  recorders.failures.record(tally.failures, observation);
  recorders.exemplars.record(tally.exemplars, observation);
  recorders.requestSample.record(tally.requestSample, observation);
  recorders.ledger.record(tally.ledger, observation);
  if (observation.outcome.kind === 'dropped') return;
  tally.ended = Math.max(tally.ended, observation.ended);
};

/** Adds another tally of the same plan. The other tally stays unchanged. */
const addTally = (into: Tally, from: Tally): void => {
  for (const part of parts) recorderOf(into, part).add(into[part], from[part]);
  into.ended = Math.max(into.ended, from.ended);
};

/** Returns the sum of two tallies of the same plan. Both stay unchanged. */
export const mergeTallies = (a: Tally, b: Tally): Tally => {
  const whole = emptyTally(a.plan);
  addTally(whole, a);
  addTally(whole, b);
  return whole;
};

/**
 * Moves a tally into another tally in steps of less than a millisecond, and yields the stored form of each moved part.
 * The generator returns the instant at which the last exchange of both tallies ended.
 */
export function* moveTally(from: Tally, into: Tally): Generator<StoredPart, number> {
  for (const part of parts) {
    const recorder = recorderOf(from, part);
    for (const { state, stored } of recorder.split(from[part])) {
      recorder.add(into[part], state);
      yield { [part]: [...stored] };
    }
  }
  into.ended = Math.max(into.ended, from.ended);
  return into.ended;
}

export const addPart = (into: Tally, part: StoredPart): void =>
  addTally(into, restoreTally(into.plan, part, 0));

const storedParts = (tally: Tally): Pick<Result, Part> =>
  Object.fromEntries(
    parts.map((part) => [part, recorderOf(tally, part).store(tally[part])]),
  ) as Pick<Result, Part>;

export const toResult = (tally: Tally, facts: ResultFacts): Result => {
  const slices = facts.slices.toSorted((a, b) => a.index - b.index);
  const stored = storedParts(tally);
  // The end of the warm-up is found only if no slice is missing, because a single slice does not show when the server
  // was warm.
  const warmUp =
    slices.length === slices[0]!.count
      ? findWarmUp(facts.plan, stored.timeline, facts.scheduled)
      : null;
  const plan = warmUp === null ? facts.plan : { ...facts.plan, warmUp: warmUp.end };
  const groups =
    warmUp === null
      ? stored.groups
      : tally.recorders.groups.store(groupsAfter(plan, tally.groups, warmUp.end));
  return {
    format: 'result/1',
    weir: facts.weir,
    runId: facts.runId,
    plan,
    planHash: facts.planHash,
    baseUrl: slices[0]!.baseUrl,
    startedAt: slices
      .map(({ startedAt }) => startedAt)
      .reduce((a, b) => (byText(a, b) < 0 ? a : b)),
    slices,
    scheduled: facts.scheduled,
    ended: milliseconds(tally.ended),
    partial: facts.partial,
    ...(facts.breach === undefined ? {} : { breach: facts.breach }),
    ...(warmUp === null ? {} : { warmUp }),
    notes: facts.notes,
    ...stored,
    groups,
    ...(facts.server === undefined ? {} : { server: facts.server }),
    gatewayCounters: facts.gatewayCounters,
  };
};
