import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result, ResultFacts } from '../model/result/result.ts';
import { type Exemplars, exemplarRecorder } from './exemplars.ts';
import { failureRecorder, type Failures } from './failures.ts';
import { groupRecorder, type Groups } from './groups.ts';
import { type Ledgers, ledgerRecorder } from './ledger.ts';
import { byText } from './by-text.ts';
import type { Recorder } from './recorder.ts';
import { type Timeline, timelineRecorder } from './timeline.ts';

/** Everything that a run's observations have come to so far. It grows in place while it records. */
export interface Tally {
  readonly plan: Plan;
  readonly groupsRecorder: Recorder<Groups, Result['groups'][number]>;
  readonly groups: Groups;
  readonly timeline: Timeline;
  readonly failures: Failures;
  readonly exemplars: Exemplars;
  readonly ledger: Ledgers;
  /** When the last exchange ended, in ms. */
  ended: number;
}

const runTimelineRecorder = timelineRecorder();
const runLedgerRecorder = ledgerRecorder();

export const emptyTally = (plan: Plan): Tally => {
  const groupsRecorder = groupRecorder(plan);
  return {
    plan,
    groupsRecorder,
    groups: groupsRecorder.empty(),
    timeline: runTimelineRecorder.empty(),
    failures: failureRecorder.empty(),
    exemplars: exemplarRecorder.empty(),
    ledger: runLedgerRecorder.empty(),
    ended: 0,
  };
};

/** Adds one observation to the tally. */
export const recordObservation = (tally: Tally, observation: Observation): void => {
  tally.groupsRecorder.record(tally.groups, observation);
  runTimelineRecorder.record(tally.timeline, observation);
  failureRecorder.record(tally.failures, observation);
  exemplarRecorder.record(tally.exemplars, observation);
  runLedgerRecorder.record(tally.ledger, observation);
  if (observation.outcome.kind === 'dropped') return;
  tally.ended = Math.max(tally.ended, observation.ended);
};

/** Adds everything that another tally of the same plan holds, which stays as it was. */
const addTally = (into: Tally, from: Tally): void => {
  into.groupsRecorder.add(into.groups, from.groups);
  runTimelineRecorder.add(into.timeline, from.timeline);
  failureRecorder.add(into.failures, from.failures);
  exemplarRecorder.add(into.exemplars, from.exemplars);
  runLedgerRecorder.add(into.ledger, from.ledger);
  into.ended = Math.max(into.ended, from.ended);
};

/** The tally of both parts' observations together; the parts, of the same plan, stay as they were. */
export const mergeTallies = (a: Tally, b: Tally): Tally => {
  const whole = emptyTally(a.plan);
  addTally(whole, a);
  addTally(whole, b);
  return whole;
};

/** A part of what a result holds. */
export type StoredPart = Partial<
  Pick<Result, 'groups' | 'timeline' | 'failures' | 'exemplars' | 'ledger'>
>;

/**
 * Moves a tally into another one, a millisecond's work at a time, and gives the stored form of each part
 * as it goes; at last, when the last exchange of both ended.
 */
export function* moveTally(from: Tally, into: Tally): Generator<StoredPart, number> {
  for (const { state, stored } of from.groupsRecorder.split(from.groups)) {
    into.groupsRecorder.add(into.groups, state);
    yield { groups: [...stored] };
  }
  for (const { state, stored } of runTimelineRecorder.split(from.timeline)) {
    runTimelineRecorder.add(into.timeline, state);
    yield { timeline: [...stored] };
  }
  for (const { state, stored } of failureRecorder.split(from.failures)) {
    failureRecorder.add(into.failures, state);
    yield { failures: [...stored] };
  }
  for (const { state, stored } of exemplarRecorder.split(from.exemplars)) {
    exemplarRecorder.add(into.exemplars, state);
    yield { exemplars: [...stored] };
  }
  for (const { state, stored } of runLedgerRecorder.split(from.ledger)) {
    runLedgerRecorder.add(into.ledger, state);
    yield { ledger: [...stored] };
  }
  into.ended = Math.max(into.ended, from.ended);
  return into.ended;
}

/** Adds a stored part to a tally. */
export const addPart = (into: Tally, part: StoredPart): void => {
  into.groupsRecorder.add(into.groups, into.groupsRecorder.restore(part.groups ?? []));
  runTimelineRecorder.add(into.timeline, runTimelineRecorder.restore(part.timeline ?? []));
  failureRecorder.add(into.failures, failureRecorder.restore(part.failures ?? []));
  exemplarRecorder.add(into.exemplars, exemplarRecorder.restore(part.exemplars ?? []));
  runLedgerRecorder.add(into.ledger, runLedgerRecorder.restore(part.ledger ?? []));
};

/** The written form of a tally, with what the run knows about itself. */
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
    ledger: runLedgerRecorder.store(tally.ledger),
    witness: facts.witness,
  };
};

/** The tally that a result was written from. */
export const fromResult = (result: Result): Tally => {
  const groupsRecorder = groupRecorder(result.plan);
  return {
    plan: result.plan,
    groupsRecorder,
    groups: groupsRecorder.restore(result.groups),
    timeline: runTimelineRecorder.restore(result.timeline),
    failures: failureRecorder.restore(result.failures),
    exemplars: exemplarRecorder.restore(result.exemplars ?? []),
    ledger: runLedgerRecorder.restore(result.ledger),
    ended: result.ended,
  };
};
