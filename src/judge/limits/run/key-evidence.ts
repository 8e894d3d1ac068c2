import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { Charge } from '../facts/interval-counts.ts';

/** The ledger of one key as the judge sees it: what each request took from the limits, and which were refused. */
export interface KeyEvidence {
  /** By the instant of sending. */
  readonly entries: readonly LedgerEntry[];
  readonly requests: readonly Charge[];
  readonly tokens: readonly Charge[];
  readonly refused: readonly LedgerEntry[];
  /** What was surely let in and counted. */
  readonly admitted: readonly LedgerEntry[];
}

export const isChat = ({ traffic }: LedgerEntry): boolean =>
  traffic === 'chat' || traffic === 'chat-stream';

const isAnswer = ({ status }: LedgerEntry): boolean => status >= 200 && status < 300;

/** Statuses of requests that no limit of this key was asked for: refused by it, or before the key was known. */
const isUncharged = ({ status }: LedgerEntry): boolean => status === 429 || status === 401;

/**
 * One request each of an answered chat. Limits of audio are the gateway's own affair (interface 8),
 * and it leaves open whether model lists and refused requests count, so those may count and may not,
 * like a request that was sent and never answered.
 */
const requestCharge = (entry: LedgerEntry): readonly Charge[] => {
  if (isUncharged(entry)) return [];
  const isSure = isChat(entry) && isAnswer(entry);
  return [{ from: entry.sent, until: entry.answered, least: isSure ? 1 : 0, most: 1 }];
};

/** Tokens of a chat are charged at any time between sending and the end; of one that did not tell them they are unknown. */
const tokenCharge = (entry: LedgerEntry): readonly Charge[] => {
  if (isUncharged(entry) || !isChat(entry)) return [];
  const { sent: from, ended: until, tokens } = entry;
  const isKnown = tokens !== null || (!isAnswer(entry) && entry.status !== 0);
  const most = isKnown ? (tokens ?? 0) : Number.POSITIVE_INFINITY;
  return [{ from, until, least: tokens ?? 0, most }];
};

export const keyEvidence = (entries: readonly LedgerEntry[]): KeyEvidence => ({
  entries,
  requests: entries.flatMap(requestCharge),
  tokens: entries.flatMap(tokenCharge),
  refused: entries.filter(({ status }) => status === 429),
  admitted: entries.filter((entry) => isChat(entry) && isAnswer(entry)),
});
