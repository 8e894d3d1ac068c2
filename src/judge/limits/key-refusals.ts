import type { LedgerEntry } from '../../model/ledger.ts';
import type { KeyRefusals, Promised } from '../../model/run-limits.ts';
import { countBefore } from './history.ts';
import type { KeyEvidence } from './key-evidence.ts';
import { type Aftermath, honestyOf } from './promises.ts';

type AftermathOf = (refusal: LedgerEntry) => Aftermath;

const aftermaths = ({ admitted, refused }: KeyEvidence): AftermathOf => {
  const admittedFrom = Float64Array.from(admitted, ({ sent }) => sent);
  const refusedFrom = Float64Array.from(refused, ({ sent }) => sent);
  return (refusal) => {
    // Requests that overlap the refusal have no order to it.
    const next = admitted[countBefore(admittedFrom, refusal.answered)];
    const last = refused[countBefore(refusedFrom, next?.sent ?? Number.POSITIVE_INFINITY) - 1];
    const stillRefused = Math.max(last?.sent ?? refusal.sent, refusal.sent);
    return { stillRefused, letIn: next?.answered ?? null };
  };
};

const promised = (
  { refused }: KeyEvidence,
  aftermathOf: AftermathOf,
  wait: (entry: LedgerEntry) => number | null,
): Promised => {
  const counts = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
  for (const refusal of refused) {
    const told = wait(refusal);
    if (told === null) counts.absent += 1;
    else counts[honestyOf(refusal.answered + told, aftermathOf(refusal))] += 1;
  }
  return counts;
};

const counted = <Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> => {
  const counts: Partial<Record<Name, number>> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** How long each stretch of refusals lasted at most: from its first refusal to the next answer; `null` while it lasts. */
const stretches = (
  { refused }: KeyEvidence,
  aftermathOf: AftermathOf,
): readonly (number | null)[] => {
  const firsts = new Map<number | null, number>();
  for (const refusal of refused) {
    const { letIn } = aftermathOf(refusal);
    if (!firsts.has(letIn)) firsts.set(letIn, refusal.sent);
  }
  return [...firsts].map(([letIn, first]) => (letIn === null ? null : letIn - first));
};

/** All that the 429s of a key told; `null` without any. */
export const keyRefusals = (evidence: KeyEvidence): KeyRefusals | null => {
  const { refused } = evidence;
  if (refused.length === 0) return null;
  const aftermathOf = aftermaths(evidence);
  const lengths = stretches(evidence, aftermathOf);
  const ended = lengths.filter((length) => length !== null);
  return {
    count: refused.length,
    first: refused.reduce((least, { answered }) => Math.min(least, answered), Infinity),
    last: refused.reduce((most, { answered }) => Math.max(most, answered), 0),
    units: counted(refused.map(({ unit }) => unit ?? 'none')),
    forms: counted(refused.flatMap(({ form }) => form ?? [])),
    retryAfter: promised(evidence, aftermathOf, ({ retryAfter }) => retryAfter),
    resetTime: promised(evidence, aftermathOf, ({ resetIn }) => resetIn),
    stretches: lengths.length,
    longestStretch: ended.length === 0 ? null : Math.max(...ended),
  };
};
