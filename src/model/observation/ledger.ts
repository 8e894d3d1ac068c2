import { type Outcome, namedLimits, refusalForms } from './outcome.ts';
import { z } from 'zod';
import { trafficKinds } from '../workload/traffic.ts';

const cell = z.number().nullable();

/** The columns of the ledger, which has a row for each sent request. Times are in ms; `null` means unknown. */
const columns = {
  sent: z.number(),
  /** When the first byte of the answer came, or, without an answer, when the exchange ended. */
  answered: z.number(),
  /** The status of the answer; 0 without an answer. */
  status: z.int(),
  limitRequests: cell,
  remainingRequests: cell,
  limitTokens: cell,
  remainingTokens: cell,
  ended: z.number(),
  traffic: z.enum(trafficKinds),
  /** The sum of input and output tokens that the server counted. */
  tokens: cell,
  /** The limit that a 429 names, and the form of its body; `null` for any other status. */
  unit: z.enum(namedLimits).nullable(),
  form: z.enum(refusalForms).nullable(),
  /** The time until the key is admitted again, from a header (`retryAfter`) and from the body of a 429 (`resetIn`). */
  retryAfter: cell,
  resetIn: cell,
  /** The numbers of input tokens and of cached input tokens. */
  input: cell,
  cached: cell,
  /** The size of a chat: the characters that the model reads, and the maximum tokens of its answer. */
  characters: cell,
  maxTokens: cell,
};
/** Old files lack this many columns at the end of a row. A row leaves them out if all of them are `null`. */
const optionalColumns = 4;
export type LedgerEntry = Readonly<z.infer<z.ZodObject<typeof columns>>>;
type Column = keyof LedgerEntry;
/** The values of an entry in the order of the columns. */
export type LedgerRow = [sent: number, answered: number, ...LedgerEntry[Column][]];

const names = Object.keys(columns) as readonly Column[];
const cells = Object.values(columns) as unknown as [z.ZodType, ...z.ZodType[]];
const requiredCells = cells.length - optionalColumns;
const ledgerRowSchema = z.union([
  z.tuple(cells),
  z.tuple(cells.slice(0, requiredCells) as typeof cells),
]) as unknown as z.ZodType<LedgerRow, LedgerRow>;

export const toLedgerEntry = (row: LedgerRow): LedgerEntry => {
  const entry: Partial<Record<Column, unknown>> = {};
  for (let i = 0; i < names.length; i += 1) entry[names[i]!] = row[i] ?? null;
  return entry as LedgerEntry;
};

type OptionalColumn = 'input' | 'cached' | 'characters' | 'maxTokens';

export const toLedgerRow = (
  entry: Omit<LedgerEntry, OptionalColumn> & Partial<Pick<LedgerEntry, OptionalColumn>>,
): LedgerRow => {
  const row: unknown[] = [];
  let isKnown = false;
  for (let i = 0; i < names.length; i += 1) {
    const value = entry[names[i]!] ?? null;
    row.push(value);
    isKnown ||= i >= requiredCells && value !== null;
  }
  if (!isKnown) row.length = requiredCells;
  return row as LedgerRow;
};

/** Returns the columns that are `null` unless the outcome is a 429. */
export const refusalColumns = (
  outcome: Outcome,
): Pick<LedgerEntry, 'unit' | 'form' | 'retryAfter' | 'resetIn'> => {
  if (outcome.kind !== 'limited') {
    return { unit: null, form: null, retryAfter: null, resetIn: null };
  }
  const { unit, refusal, retryAfter, resetIn } = outcome;
  return { unit, form: refusal.form, retryAfter, resetIn };
};

export const maxLedgerRows = 20_000;

export const ledgerSchema = z.strictObject({
  key: z.string(),
  rows: z.array(ledgerRowSchema),
  left: z.int().nonnegative(),
});
export type Ledger = z.infer<typeof ledgerSchema>;
