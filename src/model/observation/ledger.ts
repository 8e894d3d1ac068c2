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

/** One request that was sent, as columns. Instants and lengths in ms; `null` for what was not told. */
export const ledgerRowSchema = z.tuple([
  /** `sent`: before the first byte was written. */
  z.number(),
  /** `answered`: the first byte of the answer, or the end where none came. */
  z.number(),
  /** `status`: 0 where no answer came. */
  z.int(),
  /** The four limit headers: limit and rest of requests, limit and rest of tokens. */
  ...([cell, cell, cell, cell] as const),
  /** `ended` */
  z.number(),
  /** `traffic` */
  z.enum(trafficKinds),
  /** `tokens`: input and output as the server counted them; `null` where it did not. */
  cell,
  /** `unit` and `form`: which limit a 429 names, and which form its body has; `null` for any other status. */
  z.enum(namedLimits).nullable(),
  z.enum(refusalForms).nullable(),
  /** `retryAfter` and `resetIn`: how long after its answer a 429 said that the key is let in again, by header and by body. */
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

export const toLedgerEntry = (row: LedgerRow): LedgerEntry => {
  const [sent, answered, status, limitRequests, remainingRequests, ...rest] = row;
  const [limitTokens, remainingTokens, ended, traffic, tokens, ...refusalCells] = rest;
  const [unit, form, retryAfter, resetIn] = refusalCells;
  return {
    sent,
    answered,
    status,
    limitRequests,
    remainingRequests,
    limitTokens,
    remainingTokens,
    ended,
    traffic,
    tokens,
    unit,
    form,
    retryAfter,
    resetIn,
  };
};

export const toLedgerRow = (entry: LedgerEntry): LedgerRow => {
  const { sent, answered, status, limitRequests, remainingRequests, limitTokens } = entry;
  const { remainingTokens, ended, traffic, tokens, unit, form, retryAfter, resetIn } = entry;
  return [
    ...([sent, answered, status] as const),
    ...([limitRequests, remainingRequests, limitTokens, remainingTokens] as const),
    ...([ended, traffic, tokens, unit, form, retryAfter, resetIn] as const),
  ];
};

/** The columns that only a 429 fills. */
export const refusalColumns = (
  outcome: Outcome,
): Pick<LedgerEntry, 'unit' | 'form' | 'retryAfter' | 'resetIn'> => {
  if (outcome.kind !== 'limited') {
    return { unit: null, form: null, retryAfter: null, resetIn: null };
  }
  const { unit, refusal, retryAfter, resetIn } = outcome;
  return { unit, form: refusal.form, retryAfter, resetIn };
};

/** At most so many rows of each key are kept; `left` says how many more there were. */
export const maxLedgerRows = 20_000;

/** The rows of one key, ordered by `sent`. */
export const ledgerSchema = z.strictObject({
  key: z.string(),
  rows: z.array(ledgerRowSchema),
  left: z.int().nonnegative(),
});
export type Ledger = z.infer<typeof ledgerSchema>;
