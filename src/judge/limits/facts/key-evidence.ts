import { type LimitUse, tokenUses } from './token-uses.ts';
import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { Charge } from './interval-counts.ts';
import { retryAfterAccuracyOf } from './wait-accuracy.ts';
import type { KeyRefusals, RetryAfterAccuracy } from '../../../model/limits/run-limits.ts';
import { countBefore } from './count-instants.ts';

/** The window of limits per minute, in ms. */
export const minute = 60_000;

export interface KeyEvidence {
  /** The entries in the order of sending. */
  readonly entries: readonly LedgerEntry[];
  readonly requests: readonly Charge[];
  readonly tokens: readonly Charge[];
  /** How much each ledger entry may have used of the limits of requests and tokens, in the order of `entries`. */
  readonly uses: Readonly<Record<'requests' | 'tokens', readonly LimitUse[]>>;
  readonly refused: readonly LedgerEntry[];
  readonly admitted: readonly LedgerEntry[];
}

export const isChat = ({ traffic }: LedgerEntry): boolean =>
  traffic === 'chat' || traffic === 'chat-stream';

const isAnswer = ({ status }: LedgerEntry): boolean => status >= 200 && status < 300;

/** Returns whether a request was certainly not charged. This is so for status 429 (limited) and 401 (unknown key). */
const isUncharged = ({ status }: LedgerEntry): boolean => status === 429 || status === 401;

/**
 * Returns what a gateway charges a request against the limit of requests: nothing for a 429 or 401, and 1 for a chat
 * with a 2xx answer. Section 8 of the interface does not define the charge of any other request, so this charge is from
 * 0 to 1.
 */
const requestCharge = (entry: LedgerEntry): readonly Charge[] => {
  if (isUncharged(entry)) return [];
  const isSure = isChat(entry) && isAnswer(entry);
  return [{ from: entry.sent, until: entry.answered, least: isSure ? 1 : 0, most: 1 }];
};

/**
 * Returns what a gateway charges a chat against the limit of tokens. The gateway may charge at any time until the end
 * of the chat. The largest charge is infinite if a chat reports no usage although it was answered or has no status.
 */
const tokenCharge = (entry: LedgerEntry): readonly Charge[] => {
  if (isUncharged(entry) || !isChat(entry)) return [];
  const { sent: from, ended: until, tokens, cached } = entry;
  const isKnown = tokens !== null || (!isAnswer(entry) && entry.status !== 0);
  const most = isKnown ? (tokens ?? 0) : Number.POSITIVE_INFINITY;
  // Some gateways do not charge cached tokens, and the interface permits this omission.
  const least = Math.max(0, (tokens ?? 0) - (cached ?? 0));
  return [{ from, until, least, most }];
};

const requestUse = (entry: LedgerEntry): LimitUse => {
  const { sent, answered, status, unit } = entry;
  // A request that is refused for tokens may use the limit of requests, since many gateways count a request before they
  // look at its tokens.
  const isCounted = unit === 'tokens';
  const fate = status === 429 && !isCounted ? 'refused' : isAnswer(entry) ? 'admitted' : 'other';
  const most = status === 401 ? 0 : 1;
  const least = fate === 'admitted' && isChat(entry) ? 1 : 0;
  return { sent, answered, settled: answered, fate, names: unit, least, most, reserved: most };
};

export const keyEvidence = (entries: readonly LedgerEntry[]): KeyEvidence => ({
  entries,
  requests: entries.flatMap(requestCharge),
  tokens: entries.flatMap(tokenCharge),
  uses: {
    requests: entries.map(requestUse),
    tokens: tokenUses(
      entries.map((entry) => ({ ...entry, isChat: isChat(entry) })),
      minute,
    ),
  },
  refused: entries.filter(({ status }) => status === 429),
  admitted: entries.filter((entry) => isChat(entry) && isAnswer(entry)),
});

const followedRefusals = ({ admitted, refused }: KeyEvidence) => {
  const admittedFrom = Float64Array.from(admitted, ({ sent }) => sent);
  const refusedFrom = Float64Array.from(refused, ({ sent }) => sent);
  return refused.map((refusal) => {
    // Admissions that overlap the refusal are skipped, since the order of overlapping requests is unknown.
    const next = admitted[countBefore(admittedFrom, refusal.answered)];
    const last = refused[countBefore(refusedFrom, next?.sent ?? Number.POSITIVE_INFINITY) - 1];
    const stillRefused = Math.max(last?.sent ?? refusal.sent, refusal.sent);
    return { refusal, stillRefused, admittedAgain: next?.answered ?? null };
  });
};
type FollowedRefusals = ReturnType<typeof followedRefusals>;

const countAccuracy = (
  followed: FollowedRefusals,
  waitOf: (entry: LedgerEntry) => number | null,
): RetryAfterAccuracy => {
  const counts = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
  for (const { refusal, ...followUp } of followed) {
    const wait = waitOf(refusal);
    if (wait === null) counts.absent += 1;
    else counts[retryAfterAccuracyOf(refusal.answered + wait, followUp)] += 1;
  }
  return counts;
};

const countNames = <Name extends string>(names: readonly Name[]): Partial<Record<Name, number>> =>
  Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]),
  ) as Partial<Record<Name, number>>;

export const keyRefusals = (evidence: KeyEvidence): KeyRefusals | null => {
  const { refused } = evidence;
  if (refused.length === 0) return null;
  const followed = followedRefusals(evidence);
  const blockedPeriods = Map.groupBy(followed, ({ admittedAgain }) => admittedAgain);
  // A blocked period lasts from the sending of its first refused request to the answer of the next admitted request.
  const lengths = [...blockedPeriods].flatMap(([admittedAgain, [first]]) =>
    admittedAgain === null ? [] : [admittedAgain - first!.refusal.sent],
  );
  return {
    count: refused.length,
    first: refused.reduce((least, { answered }) => Math.min(least, answered), Infinity),
    last: refused.reduce((most, { answered }) => Math.max(most, answered), 0),
    units: countNames(refused.map(({ unit }) => unit ?? 'none')),
    forms: countNames(refused.flatMap(({ form }) => form ?? [])),
    retryAfter: countAccuracy(followed, ({ retryAfter }) => retryAfter),
    resetTime: countAccuracy(followed, ({ resetIn }) => resetIn),
    stretches: blockedPeriods.size,
    longestStretch: lengths.length === 0 ? null : Math.max(...lengths),
  };
};
