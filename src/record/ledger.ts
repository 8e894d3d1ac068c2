import { attemptsOf } from '../model/observation.ts';
import { type Ledger, type LedgerRow, ledgerRows } from '../model/result.ts';
import { byText } from './order.ts';
import type { Recorder } from './recorder.ts';

/** What keys were told: rows as they came, at most twice as many as are kept, and how many there were in all. */
export type Ledgers = Map<string, { rows: LedgerRow[]; seen: number }>;

/** By the moment of sending, then by the other cells, so that the order of rows is that of their contents. */
const inOrder = (a: LedgerRow, b: LedgerRow): number => {
  for (const [i, cell] of a.entries()) {
    const difference = (cell ?? Number.NEGATIVE_INFINITY) - (b[i] ?? Number.NEGATIVE_INFINITY);
    // Two absent cells differ by NaN.
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
};

/**
 * The limit headers per key, in the order in which requests were sent, each attempt a row; of more than `kept` rows
 * the first. Whoever is among the first of all is so in every part, so merging loses none.
 */
export const ledgerRecorder = (kept = ledgerRows): Recorder<Ledgers, Ledger> => {
  const firstOf = (rows: readonly LedgerRow[]): LedgerRow[] =>
    rows.toSorted(inOrder).slice(0, kept);
  const add = (ledgers: Ledgers, key: string, rows: readonly LedgerRow[], seen: number): void => {
    const ledger = ledgers.get(key) ?? { rows: [], seen: 0 };
    for (const row of rows) ledger.rows.push(row);
    ledger.seen += seen;
    if (ledger.rows.length > 2 * kept) ledger.rows = firstOf(ledger.rows);
    ledgers.set(key, ledger);
  };
  return {
    empty: () => new Map(),
    record: (ledgers, observation) => {
      for (const { key, sent, head } of attemptsOf(observation)) {
        if (sent === null || head === null) continue;
        const { limitRequests, remainingRequests, limitTokens, remainingTokens } =
          head.quota ?? none;
        const told = [limitRequests, remainingRequests, limitTokens, remainingTokens] as const;
        add(ledgers, key, [[sent, head.at, head.status, ...told]], 1);
      }
    },
    merge: (a, b) => {
      const whole: Ledgers = new Map();
      for (const [key, { rows, seen }] of [...a, ...b]) add(whole, key, rows, seen);
      return whole;
    },
    store: (ledgers) =>
      [...ledgers]
        .toSorted(([a], [b]) => byText(a, b))
        .map(([key, { rows, seen }]) => {
          const first = firstOf(rows);
          return { key, rows: first, left: seen - first.length };
        }),
    restore: (stored) =>
      new Map(
        stored.map(({ key, rows, left }) => [key, { rows: [...rows], seen: rows.length + left }]),
      ),
  };
};

const none = {
  limitRequests: null,
  remainingRequests: null,
  limitTokens: null,
  remainingTokens: null,
};
