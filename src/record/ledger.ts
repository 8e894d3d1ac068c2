import {
  type Ledger,
  type LedgerEntry,
  toLedgerRow,
  type LedgerRow,
  maxLedgerRows,
  refusalColumns,
} from '../model/observation/ledger.ts';
import { attemptsOf, type Observation } from '../model/observation/observation.ts';
import { getOrCreate, byText, type Recorder } from './recorder.ts';

interface KeyLedger {
  /** The stored rows in any order. The number of rows exceeds the maximum by at most a quarter. */
  rows: LedgerRow[];
  /** The number of all rows, including rows that are not stored. */
  seen: number;
  /**
   * A row with a later instant of sending is dropped. Infinity until rows were dropped for the first time; then the
   * latest instant of sending among the stored rows.
   */
  until: number;
}
export type Ledgers = Map<string, KeyLedger>;

const emptyKeyLedger = (): KeyLedger => ({ rows: [], seen: 0, until: Infinity });

/**
 * Compares rows by the instant of sending, then by their other cells. The order of sorted rows therefore does not
 * depend on the order in which the rows were added.
 */
const inOrder = (a: LedgerRow, b: LedgerRow): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [cell, other] = [a[i] ?? null, b[i] ?? null];
    if (cell === other) continue;
    if (cell === null || other === null) return cell === null ? -1 : 1;
    return cell < other ? -1 : 1;
  }
  return 0;
};

/** Returns a chat's total, input and cached input tokens; `null` if the server did not report them. */
const chargedTokens = ({
  outcome,
}: Pick<Observation, 'outcome'>): Pick<LedgerEntry, 'tokens' | 'input' | 'cached'> => {
  const unknown = { tokens: null, input: null, cached: null };
  if (outcome.kind !== 'completed' || !('tokens' in outcome.answer)) return unknown;
  const { input, output, cached: found = 0, source } = outcome.answer.tokens;
  const cached = found === 0 ? null : found;
  return input === null || source !== 'usage' ? unknown : { tokens: input + output, input, cached };
};

type Attempt = ReturnType<typeof attemptsOf>[number];
type SentAttempt = Attempt & { readonly sent: number };

const isSent = (attempt: Attempt): attempt is SentAttempt => attempt.sent !== null;

const rowOf = ({ traffic }: Observation, attempt: SentAttempt): LedgerRow => {
  const { sent, head, ended, outcome } = attempt;
  const quota = head?.quota ?? noLimitHeaders;
  const { unit, form, retryAfter, resetIn } = refusalColumns(outcome);
  const { tokens, input, cached } = chargedTokens(attempt);
  return toLedgerRow({
    sent,
    answered: head?.at ?? ended,
    status: head?.status ?? 0,
    limitRequests: quota.limitRequests,
    remainingRequests: quota.remainingRequests,
    limitTokens: quota.limitTokens,
    remainingTokens: quota.remainingTokens,
    ended,
    traffic,
    tokens,
    input,
    cached,
    unit,
    form,
    retryAfter,
    resetIn,
    characters: attempt.size?.characters ?? null,
    maxTokens: attempt.size?.maxTokens ?? null,
  });
};

const firstOf = (rows: readonly LedgerRow[], kept: number): LedgerRow[] =>
  rows.toSorted(inOrder).slice(0, kept);

/**
 * Adds rows, and drops the latest rows beyond the maximum. To save time, rows are sorted only when the list exceeds its
 * maximum by a quarter.
 */
const addRows = (keyLedger: KeyLedger, rows: readonly LedgerRow[], kept: number): void => {
  for (const row of rows) if (row[0] <= keyLedger.until) keyLedger.rows.push(row);
  if (keyLedger.rows.length <= 1.25 * kept) return;
  keyLedger.rows = firstOf(keyLedger.rows, kept);
  keyLedger.until = keyLedger.rows.at(-1)![0];
};

/**
 * Records a row for every attempt that was sent, by key, in the order of sending. Only the first `kept` rows of each
 * key are stored. A row among the first rows of the run is also among the first rows of its slice, so merging slices
 * loses no row.
 */
export const ledgerRecorder = (kept = maxLedgerRows): Recorder<Ledgers, Ledger> => {
  return {
    record: (ledgers, observation) => {
      for (const attempt of attemptsOf(observation)) {
        if (!isSent(attempt)) continue;
        const keyLedger = getOrCreate(ledgers, attempt.key, emptyKeyLedger);
        keyLedger.seen += 1;
        // At high rates, most rows are too late to be stored, so they are not even made.
        if (attempt.sent > keyLedger.until) continue;
        addRows(keyLedger, [rowOf(observation, attempt)], kept);
      }
    },
    add: (into, from) => {
      for (const [key, { rows, seen }] of from) {
        const keyLedger = getOrCreate(into, key, emptyKeyLedger);
        keyLedger.seen += seen;
        addRows(keyLedger, rows, kept);
      }
    },
    store: (ledgers) =>
      [...ledgers]
        .toSorted(([a], [b]) => byText(a, b))
        .map(([key, { rows, seen }]) => {
          const first = firstOf(rows, kept);
          return { key, rows: first, left: seen - first.length };
        }),
    restore: (stored) =>
      new Map(
        stored.map(({ key, rows, left }) => [
          key,
          { ...emptyKeyLedger(), rows: [...rows], seen: rows.length + left },
        ]),
      ),
    *split(ledgers) {
      for (const [key, { rows, seen }] of ledgers) {
        for (let from = 0; from < rows.length; from += rowsPerPortion) {
          const some = rows.slice(from, from + rowsPerPortion);
          // The first portion also contains the number of dropped rows.
          const left = from === 0 ? seen - rows.length : 0;
          const state: Ledgers = new Map([
            [key, { ...emptyKeyLedger(), rows: some, seen: some.length + left }],
          ]);
          yield { state, stored: [{ key, rows: some, left }] };
        }
      }
    },
  };
};

/** The number of rows in a portion. Writing a portion takes about half a millisecond. */
const rowsPerPortion = 500;

const noLimitHeaders = {
  limitRequests: null,
  remainingRequests: null,
  limitTokens: null,
  remainingTokens: null,
};
