import { attemptsOf, type Observation, outcomeKinds } from '../model/observation.ts';
import { type Instant, instant, secondOf } from '../model/quantity.ts';
import type { Second } from '../model/result.ts';
import { emptySecond } from '../model/outcomes.ts';
import { trafficKinds } from '../model/traffic.ts';
import { recordBrought } from './brought.ts';
import { streamOf } from './stream-of.ts';

/** What happened in each second of a run, as counts. */
export type SecondCounts = Map<number, Counts>;
export type Counts = Omit<Second, 'latency'>;

/** The counts that are plain numbers. */
const plainCounts = [
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
] as const satisfies readonly (keyof Counts)[];

export const countsIn = (counts: SecondCounts, second: number): Counts => {
  let found = counts.get(second);
  if (found === undefined) {
    found = emptySecond(second);
    counts.set(second, found);
  }
  return found;
};

/** Adds one observation to the seconds in which its parts lie. */
export const recordCounts = (counts: SecondCounts, observation: Observation): void => {
  const { due, outcome } = observation;
  let last = countsIn(counts, secondOf(due));
  // Tokens come thousands to a second.
  const at = (moment: Instant): Counts => {
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
  recordBrought(observation, at);
};

export const addCounts = (into: Counts, from: Counts): void => {
  for (const name of plainCounts) into[name] += from[name];
  for (const kind of outcomeKinds) into.outcomes[kind] += from.outcomes[kind];
  for (const kind of trafficKinds) {
    const completed = from.completed[kind] ?? 0;
    if (completed > 0) into.completed[kind] = (into.completed[kind] ?? 0) + completed;
  }
};
