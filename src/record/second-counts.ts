import type { TimelineSecond } from '../model/measures/counts.ts';
import type { Answer } from '../model/observation/outcome.ts';
import { measures } from '../model/measures/measures.ts';
import { type Observation, attemptsOf } from '../model/observation/observation.ts';
import { type Instant, instant, secondOf } from '../model/quantity.ts';
import { emptySecond } from '../model/measures/outcome-counts.ts';
import { getOrCreate, streamOf } from './recorder.ts';

/** The counts of a second to which completed answers add. */
type ThroughputCounts = Pick<
  TimelineSecond,
  'completed' | 'inputTokens' | 'outputTokens' | 'audioReceived' | 'audioSent' | 'characters'
>;
type CountsAt = (moment: Instant) => ThroughputCounts;

const sum = (samples: ArrayLike<number>): number => {
  let whole = 0;
  for (let i = 0; i < samples.length; i += 1) whole += samples[i]!;
  return whole;
};

const noInstants: Float64Array = new Float64Array(0);

/**
 * Counts instants by their second. There may be thousands in one second, so those of one second are counted at once.
 */
const countBySecond = (
  instants: Float64Array,
  add: (moment: Instant, count: number) => void,
): void => {
  let from = 0;
  while (from < instants.length) {
    const moment = instant(instants[from]!);
    const second = secondOf(moment);
    let to = from + 1;
    while (to < instants.length && secondOf(instant(instants[to]!)) === second) to += 1;
    add(moment, to - from);
    from = to;
  }
};

/** Counts a stream's tokens with its events. The tokens beyond the events count with the last one. */
const recordOutput = (answer: Answer, ended: Instant, at: CountsAt): void => {
  if (!('tokens' in answer)) return;
  const { output } = answer.tokens;
  const events = answer.kind === 'chat-stream' ? answer.tokenInstants : noInstants;
  const spread = output < events.length ? noInstants : events;
  countBySecond(spread, (moment, count) => (at(moment).outputTokens += count));
  at(instant(events.at(-1) ?? ended)).outputTokens += output - spread.length;
};

/** Counts the tokens, audio and characters of a completed answer in the seconds in which they came. */
const recordThroughput = (observation: Observation, at: CountsAt): void => {
  const { outcome, traffic, ended } = observation;
  if (outcome.kind !== 'completed') return;
  const last = at(ended);
  last.completed[traffic] = (last.completed[traffic] ?? 0) + 1;
  last.inputTokens += sum(measures.inputTokens.of(observation));
  last.audioReceived += Math.round(sum(measures.speechSeconds.of(observation)) * 1000);
  last.audioSent += Math.round(sum(measures.clipSeconds.of(observation)) * 1000);
  last.characters += sum(measures.characters.of(observation));
  recordOutput(outcome.answer, ended, at);
};

export type CountsBySecond = Map<number, CountsInSecond>;
type CountsInSecond = Omit<TimelineSecond, 'latency'>;

export const countsIn = (counts: CountsBySecond, second: number): CountsInSecond =>
  getOrCreate(counts, second, () => emptySecond(second));

/** Counts each instant of an observation in its own second. */
export const recordCounts = (counts: CountsBySecond, observation: Observation): void => {
  const { due, outcome } = observation;
  let last = countsIn(counts, secondOf(due));
  // There may be thousands of tokens in one second, so the last second is remembered.
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
  countBySecond(streamOf(outcome)?.tokenInstants ?? noInstants, (moment, count) => {
    at(moment).tokenEvents += count;
  });
  recordThroughput(observation, at);
};
