import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import type { Charge } from '../facts/interval-counts.ts';

/** The ledger of one key: the charges of its requests, and which were refused. */
export interface KeyEvidence {
  /** In the order of sending. */
  readonly entries: readonly LedgerEntry[];
  readonly requests: readonly Charge[];
  readonly tokens: readonly Charge[];
  readonly refused: readonly LedgerEntry[];
  /** Certainly admitted and counted. */
  readonly admitted: readonly LedgerEntry[];
}

export const isChat = ({ traffic }: LedgerEntry): boolean =>
  traffic === 'chat' || traffic === 'chat-stream';

const isAnswer = ({ status }: LedgerEntry): boolean => status >= 200 && status < 300;

/** Whether a request was certainly not charged to this key: limited, or refused before the key was known. */
const isUncharged = ({ status }: LedgerEntry): boolean => status === 429 || status === 401;

/**
 * An answered chat counts as one request. The interface (8) leaves open whether audio, model lists and
 * refused requests count, so their charge is 0 or 1, as for requests that were never answered.
 */
const requestCharge = (entry: LedgerEntry): readonly Charge[] => {
  if (isUncharged(entry)) return [];
  const isSure = isChat(entry) && isAnswer(entry);
  return [{ from: entry.sent, until: entry.answered, least: isSure ? 1 : 0, most: 1 }];
};

/** Tokens of a chat are charged at any time between sending and the end; they are unknown if not reported. */
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

const maxEvidence = 5;

export const ledgerEvidence = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries
    .slice(0, maxEvidence)
    .map(
      ({ traffic, sent, status }) =>
        `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

export const formatCount = (value: number): string => value.toLocaleString('en-US');
