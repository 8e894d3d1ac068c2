import {
  type Outcome,
  namedLimits,
  type NamedLimit,
  refusalForms,
  type RefusalForm,
} from './outcome.ts';
import { z } from 'zod';
import { trafficKinds } from '../workload/traffic.ts';

const cell = z.number().nullable();

/** One request that was sent, as columns. Instants and lengths in ms; `null` for values that were not reported. */
export const ledgerRowSchema = z.tuple([
  /** `sent`: before the first byte was written. */
  z.number(),
  /** `answered`: the first byte of the answer, or the end if there was none. */
  z.number(),
  /** `status`: 0 if there was no answer. */
  z.int(),
  /** The four limit headers: limit and remaining of requests, then of tokens. */
  ...([cell, cell, cell, cell] as const),
  /** `ended` */
  z.number(),
  /** `traffic` */
  z.enum(trafficKinds),
  /** `tokens`: input and output as the server counted them. */
  cell,
  /** `unit` and `form`: the limit that a 429 names and the form of its body; `null` for any other status. */
  z.enum(namedLimits).nullable(),
  z.enum(refusalForms).nullable(),
  /** `retryAfter` and `resetIn`: the time from a 429 until the key is admitted again, by header and by body. */
  ...([cell, cell] as const),
]);
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** A row of the ledger by the names of its columns. */
export interface LedgerEntry {
  readonly sent: number;
  readonly answered: number;
  readonly status: number;
  readonly limitRequests: number | null;
  readonly remainingRequests: number | null;
  readonly limitTokens: number | null;
  readonly remainingTokens: number | null;
  readonly ended: number;
  readonly traffic: LedgerRow[8];
  readonly tokens: number | null;
  readonly unit: NamedLimit | null;
  readonly form: RefusalForm | null;
  readonly retryAfter: number | null;
  readonly resetIn: number | null;
}

const columns = [
  ...(['sent', 'answered', 'status'] as const),
  ...(['limitRequests', 'remainingRequests', 'limitTokens', 'remainingTokens'] as const),
  ...(['ended', 'traffic', 'tokens', 'unit', 'form', 'retryAfter', 'resetIn'] as const),
] satisfies readonly (keyof LedgerEntry)[];

export const toLedgerEntry = (row: LedgerRow): LedgerEntry =>
  Object.fromEntries(columns.map((column, i) => [column, row[i]])) as unknown as LedgerEntry;

export const toLedgerRow = (entry: LedgerEntry): LedgerRow =>
  columns.map((column) => entry[column]) as LedgerRow;

/** The columns that are `null` unless the outcome is a 429. */
export const refusalColumns = (
  outcome: Outcome,
): Pick<LedgerEntry, 'unit' | 'form' | 'retryAfter' | 'resetIn'> => {
  if (outcome.kind !== 'limited') {
    return { unit: null, form: null, retryAfter: null, resetIn: null };
  }
  const { unit, refusal, retryAfter, resetIn } = outcome;
  return { unit, form: refusal.form, retryAfter, resetIn };
};

/** Maximum number of rows kept for each key; `left` counts the others. */
export const maxLedgerRows = 20_000;

/** The rows of one key, ordered by `sent`. */
export const ledgerSchema = z.strictObject({
  key: z.string(),
  rows: z.array(ledgerRowSchema),
  left: z.int().nonnegative(),
});
export type Ledger = z.infer<typeof ledgerSchema>;
