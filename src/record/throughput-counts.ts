import type { TimelineSecond } from '../model/measures/counts.ts';
import type { Answer } from '../model/observation/outcome.ts';
import { measures } from '../model/measures/measures.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** The counts of a second that completed answers add to. */
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

/** Counts a stream's tokens with its events; the tokens beyond the events count with the last one. */
const recordOutput = (answer: Answer, ended: Instant, at: CountsAt): void => {
  if (!('tokens' in answer)) return;
  const { output } = answer.tokens;
  const events = answer.kind === 'chat-stream' ? answer.tokenInstants : [];
  const spread = output < events.length ? [] : events;
  for (const moment of spread) at(instant(moment)).outputTokens += 1;
  at(instant(events.at(-1) ?? ended)).outputTokens += output - spread.length;
};

/** Counts the tokens, audio and characters of a completed answer in the seconds in which they came. */
export const recordThroughput = (observation: Observation, at: CountsAt): void => {
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
