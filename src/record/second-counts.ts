import type { TimelineSecond } from '../model/measures/counts.ts';
import { outcomeKinds } from '../model/observation/outcome.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import { type Instant, instant, secondOf } from '../model/quantity.ts';
import { emptySecond } from '../model/measures/outcome-counts.ts';
import { trafficKinds } from '../model/workload/traffic.ts';
import { recordThroughput } from './throughput-counts.ts';
import { streamOf } from './stream-of.ts';

/** The counts of each second of a run. */
export type CountsBySecond = Map<number, CountsInSecond>;
export type CountsInSecond = Omit<TimelineSecond, 'latency'>;

/** The counts that are plain numbers. */
const numericCounts = [
  'due',
  'begun',
  'sent',
  'ended',
  'tokenEvents',
  'inputTokens',
  'outputTokens',
  'audioReceived',
  'audioSent',
  'characters',
] as const satisfies readonly (keyof CountsInSecond)[];

export const countsIn = (counts: CountsBySecond, second: number): CountsInSecond => {
  let found = counts.get(second);
  if (found === undefined) {
    found = emptySecond(second);
    counts.set(second, found);
  }
  return found;
};

/** Counts each instant of an observation in its own second. */
export const recordCounts = (counts: CountsBySecond, observation: Observation): void => {
  const { due, outcome } = observation;
  let last = countsIn(counts, secondOf(due));
  // There may be thousands of tokens in one second, so the last one is remembered.
  const at = (moment: Instant): CountsInSecond => {
    const second = secondOf(moment);
    if (last.second !== second) last = countsIn(counts, second);
    return last;
  };
  at(due).due += 1;
  at(observation.ended).outcomes[outcome.kind] += 1;
  for (const { begun, sent, ended } of attemptsOf(observation)) {
    at(begun).begun += 1;
    if (sent !== null) at(sent).sent += 1;
    at(ended).ended += 1;
  }
  for (const moment of streamOf(outcome)?.tokenInstants ?? []) {
    at(instant(moment)).tokenEvents += 1;
  }
  recordThroughput(observation, at);
};

export const addCounts = (into: CountsInSecond, from: CountsInSecond): void => {
  for (const name of numericCounts) into[name] += from[name];
  for (const kind of outcomeKinds) into.outcomes[kind] += from.outcomes[kind];
  for (const kind of trafficKinds) {
    const completed = from.completed[kind] ?? 0;
    if (completed > 0) into.completed[kind] = (into.completed[kind] ?? 0) + completed;
  }
};
