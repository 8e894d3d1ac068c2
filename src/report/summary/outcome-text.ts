import type { Group } from '../../model/measures/counts.ts';
import type { OutcomeKind, TokenSource } from '../../model/observation/outcome.ts';
import type { Exemplar } from '../../model/result/exemplar.ts';
import type { Failure, Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import { kindsPresent } from './figures.ts';
import { sumOf } from '../../model/sums.ts';

/** Names a failure by its status and its cause, unless the cause only repeats the status, as with some gateways. */
export const causeText = ({ status, cause }: Pick<Exemplar, 'status' | 'cause'>): string =>
  [...new Set([status, cause].filter((part) => part !== null).map(String))].join(' ');

/**
 * Returns the message of a group of failures. If the texts of the failures differ, the varying parts are masked. The
 * message for 429s contains the first text, since its numbers can be the limit: `such as “60 requests per 60 s; try
 * again in 54 s”`.
 */
export const failureMessage = ({ outcome, sameText, message, example }: Failure): string => {
  const text = example.text.replaceAll(/\s+/g, ' ').trim();
  if (text === '') return message;
  if (sameText) return text;
  return outcome === 'limited' && message.includes('#') ? `such as “${text}”` : message;
};

/** What each line of the arrivals table means, in the order of the lines. */
export const arrivalMeaning = {
  due: 'Every arrival of the schedule.',
  sent: 'At least the first byte was written.',
  completed: 'A complete answer that keeps the contract.',
  cancelled: 'The client hung up, as the scenario asks; no failure of the target.',
  limited: 'Answered 429: the gateway’s rate limit.',
  refused: 'Answered with any other status outside 2xx.',
  malformed:
    'Answered 2xx, but the answer breaks the contract, for example an error inside a stream.',
  broken: 'No complete answer: the connection failed, a deadline passed, or the run ended first.',
  dropped:
    'Due but never sent: the maximum number of requests was in flight, or the pace did not release it in time.',
} as const satisfies Record<'due' | 'sent' | OutcomeKind, string>;

export type ArrivalName = keyof typeof arrivalMeaning;
const arrivalNames = Object.keys(arrivalMeaning) as readonly ArrivalName[];

export const tokenSourceMeaning = {
  usage: 'counted by the server',
  events: 'counted as token events',
  characters: 'estimated as characters / 4',
} as const satisfies Record<TokenSource, string>;

/** Counts the arrivals that were due, those that were sent, and those with each outcome. */
export const arrivalCounts = (groups: readonly Group[]): Record<ArrivalName, number> => {
  const outcomes = sumOutcomes(groups);
  return { due: countArrivals(outcomes), sent: sumOf(groups, ({ sent }) => sent), ...outcomes };
};

/** Returns the lines of the arrivals table: the counts over the whole run, and the counts without the warm-up. */
export const arrivalRows = (result: Result) => {
  const all = arrivalCounts(result.groups);
  const measured = arrivalCounts(groupsMatching(result, outsideWarmUp));
  return arrivalNames.map((name) => ({ name, all: all[name], measured: measured[name] }));
};

/** Counts the outcomes of each kind of traffic, in the order of `kinds`; `null` if the result has only one kind. */
export const arrivalsByKind = (result: Result) => {
  const kinds = kindsPresent(result);
  if (kinds.length < 2) return null;
  const all = arrivalCounts(result.groups);
  const columns = kinds.map((kind) =>
    arrivalCounts(groupsMatching(result, ({ traffic }) => traffic === kind)),
  );
  const byKindOf = (name: ArrivalName) => columns.map((counts) => counts[name]);
  const rows = arrivalNames.map((name) => ({ name, all: all[name], byKind: byKindOf(name) }));
  return { kinds, rows };
};
