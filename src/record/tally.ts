import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result, ResultFacts } from '../model/result/result.ts';
import { type Exemplars, exemplarRecorder } from './exemplars.ts';
import { failureRecorder, type Failures } from './failures.ts';
import { groupRecorder, type Groups } from './groups.ts';
import { type Ledgers, ledgerRecorder } from './ledger.ts';
import { byText, type Recorder } from './recorder.ts';
import { continueSample, requestSampleRecorder, type RequestSamples } from './request-sample.ts';
import type { RequestSample } from '../model/result/request-sample.ts';
import { type Timeline, timelineRecorder } from './timeline.ts';

/** The running sum of a run's observations, which changes in place. */
export interface Tally {
  readonly plan: Plan;
  readonly groupsRecorder: Recorder<Groups, Result['groups'][number]>;
  readonly groups: Groups;
  readonly timeline: Timeline;
  readonly failures: Failures;
  readonly exemplars: Exemplars;
  readonly sampleRecorder: Recorder<RequestSamples, RequestSample>;
  readonly requestSample: RequestSamples;
  readonly ledger: Ledgers;
  /** The instant at which the last exchange ended, in ms. */
  ended: number;
}

const runTimelineRecorder = timelineRecorder();
const runLedgerRecorder = ledgerRecorder();

export type StoredPart = Partial<
  Pick<Result, 'groups' | 'timeline' | 'failures' | 'exemplars' | 'requestSample' | 'ledger'>
>;

const restoreTally = (plan: Plan, part: StoredPart, ended: number): Tally => {
  const groupsRecorder = groupRecorder(plan);
  const sampleRecorder = requestSampleRecorder(plan);
  return {
    plan,
    groupsRecorder,
    groups: groupsRecorder.restore(part.groups ?? []),
    timeline: runTimelineRecorder.restore(part.timeline ?? []),
    failures: failureRecorder.restore(part.failures ?? []),
    exemplars: exemplarRecorder.restore(part.exemplars ?? []),
    sampleRecorder,
    requestSample: sampleRecorder.restore(part.requestSample ?? []),
    ledger: runLedgerRecorder.restore(part.ledger ?? []),
    ended,
  };
};

export const emptyTally = (plan: Plan): Tally => restoreTally(plan, {}, 0);

/** Creates an empty tally that will be moved into `before`, for the next part of the same run. */
export const continueTally = (before: Tally): Tally => ({
  ...emptyTally(before.plan),
  requestSample: continueSample(before.requestSample),
});

export const fromResult = (result: Result): Tally =>
  restoreTally(result.plan, result, result.ended);

export const recordObservation = (tally: Tally, observation: Observation): void => {
  tally.groupsRecorder.record(tally.groups, observation);
  runTimelineRecorder.record(tally.timeline, observation);
  failureRecorder.record(tally.failures, observation);
  exemplarRecorder.record(tally.exemplars, observation);
  tally.sampleRecorder.record(tally.requestSample, observation);
  runLedgerRecorder.record(tally.ledger, observation);
  if (observation.outcome.kind === 'dropped') return;
  tally.ended = Math.max(tally.ended, observation.ended);
};

/** Adds another tally of the same plan, which does not change. */
const addTally = (into: Tally, from: Tally): void => {
  into.groupsRecorder.add(into.groups, from.groups);
  runTimelineRecorder.add(into.timeline, from.timeline);
  failureRecorder.add(into.failures, from.failures);
  exemplarRecorder.add(into.exemplars, from.exemplars);
  into.sampleRecorder.add(into.requestSample, from.requestSample);
  runLedgerRecorder.add(into.ledger, from.ledger);
  into.ended = Math.max(into.ended, from.ended);
};

/** Returns the sum of two tallies of the same plan, which do not change. */
export const mergeTallies = (a: Tally, b: Tally): Tally => {
  const whole = emptyTally(a.plan);
  addTally(whole, a);
  addTally(whole, b);
  return whole;
};

function* movePart<State, Stored>(
  recorder: Recorder<State, Stored>,
  from: State,
  into: State,
  partOf: (stored: Stored[]) => StoredPart,
): Generator<StoredPart, void> {
  for (const { state, stored } of recorder.split(from)) {
    recorder.add(into, state);
    yield partOf([...stored]);
  }
}

/**
 * Moves a tally into another one, in steps of less than a millisecond, and yields the stored form of each part that was
 * moved. Returns when the last exchange of both ended.
 */
export function* moveTally(from: Tally, into: Tally): Generator<StoredPart, number> {
  yield* movePart(from.groupsRecorder, from.groups, into.groups, (groups) => ({ groups }));
  yield* movePart(runTimelineRecorder, from.timeline, into.timeline, (timeline) => ({ timeline }));
  yield* movePart(failureRecorder, from.failures, into.failures, (failures) => ({ failures }));
  yield* movePart(exemplarRecorder, from.exemplars, into.exemplars, (exemplars) => ({ exemplars }));
  yield* movePart(from.sampleRecorder, from.requestSample, into.requestSample, (requestSample) => ({
    requestSample,
  }));
  yield* movePart(runLedgerRecorder, from.ledger, into.ledger, (ledger) => ({ ledger }));
  into.ended = Math.max(into.ended, from.ended);
  return into.ended;
}

export const addPart = (into: Tally, part: StoredPart): void =>
  addTally(into, restoreTally(into.plan, part, 0));

/** Returns the result of a tally, with the facts of the run. */
export const toResult = (tally: Tally, facts: ResultFacts): Result => {
  const slices = facts.slices.toSorted((a, b) => a.index - b.index);
  return {
    format: 'result/1',
    weir: facts.weir,
    runId: facts.runId,
    plan: facts.plan,
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
    notes: facts.notes,
    groups: tally.groupsRecorder.store(tally.groups),
    timeline: runTimelineRecorder.store(tally.timeline),
    failures: failureRecorder.store(tally.failures),
    exemplars: exemplarRecorder.store(tally.exemplars),
    requestSample: tally.sampleRecorder.store(tally.requestSample),
    ledger: runLedgerRecorder.store(tally.ledger),
    ...(facts.server === undefined ? {} : { server: facts.server }),
    gatewayCounters: facts.gatewayCounters,
  };
};
