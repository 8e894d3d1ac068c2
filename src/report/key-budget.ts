import { interfaceLimits } from '../model/interface-limits.ts';
import type { Ledger, Result } from '../model/result.ts';
import { countText, momentText, plural } from './number-text.ts';

/** What one key was told and allowed, read from its ledger. */
export interface KeyBudget {
  readonly key: string;
  /** Responses with a status; `limited` of them were 429. */
  readonly answered: number;
  readonly limited: number;
  /** When the first 429 came, in ms since the run began. */
  readonly firstLimited: number | null;
  readonly requests: Allowance;
  readonly tokens: Allowance;
  /** Responses that the ledger had no room for; the figures above do not know them. */
  readonly left: number;
}

/** One of a key's two limits. */
export interface Allowance {
  /** What the plan takes for declared; `null` for nothing. */
  readonly declared: number | null;
  /** The plan takes what the interface says of every gateway: nobody need have declared it. */
  readonly isInterface: boolean;
  /** The different limits that headers named, ascending; more than one is a finding. */
  readonly told: readonly number[];
  readonly lowest: number | null;
  readonly last: number | null;
}

type Column = 3 | 4 | 5 | 6;

const cells = (ledger: Ledger, column: Column): readonly number[] =>
  ledger.rows.flatMap((row) => row[column] ?? []);

const allowance = (
  ledger: Ledger,
  [declared, byInterface]: readonly [number | null, number],
  [limit, remaining]: readonly [Column, Column],
): Allowance => {
  const left = cells(ledger, remaining);
  return {
    declared,
    isInterface: declared === byInterface,
    told: [...new Set(cells(ledger, limit))].toSorted((a, b) => a - b),
    lowest: left.length === 0 ? null : left.reduce((a, b) => Math.min(a, b)),
    last: left.at(-1) ?? null,
  };
};

const budgetOf = (ledger: Ledger, { limits }: Result['plan']): KeyBudget => {
  const refusals = ledger.rows.filter(([, , status]) => status === 429);
  return {
    key: ledger.key,
    answered: ledger.rows.length,
    limited: refusals.length,
    firstLimited:
      refusals.length === 0
        ? null
        : refusals.map(([, answered]) => answered).reduce((a, b) => Math.min(a, b)),
    requests: allowance(
      ledger,
      [limits.requestsPerMinute, interfaceLimits.requestsPerMinute],
      [3, 4],
    ),
    tokens: allowance(ledger, [limits.tokensPerMinute, interfaceLimits.tokensPerMinute], [5, 6]),
    left: ledger.left,
  };
};

export const keyBudgets = (result: Result): readonly KeyBudget[] =>
  result.ledger.map((ledger) => budgetOf(ledger, result.plan));

/** Declared limit against the limit in headers, in words: `600/min as declared`, `header says 100, the interface 60`. */
export const limitText = ({ declared, isInterface, told }: Allowance): string => {
  const headers = told.map(countText).join(' and ');
  if (told.length === 0) {
    return declared === null
      ? 'none known'
      : `${countText(declared)}/min ${isInterface ? 'by the interface' : 'declared'}, no header seen`;
  }
  if (declared === null) return `${headers}/min by header`;
  if (told.length === 1 && told[0] === declared) {
    return `${headers}/min as ${isInterface ? 'the interface says' : 'declared'}`;
  }
  return isInterface
    ? `header says ${headers}, the interface ${countText(declared)}`
    : `header says ${headers}, declared ${countText(declared)}`;
};

/** How much of an allowance was seen left: `lowest 0, last 12`; a dash without headers. */
export const remainingText = ({ lowest, last }: Allowance): string =>
  lowest === null || last === null ? '–' : `${countText(lowest)}, last ${countText(last)}`;

/** `412, first at 21.3 s`, or `none`. */
export const limitedText = ({ limited, firstLimited }: KeyBudget): string =>
  firstLimited === null ? 'none' : `${countText(limited)}, first at ${momentText(firstLimited)}`;

/** The ledger's blind spot in words; `null` when it saw everything. */
export const leftText = ({ left }: KeyBudget): string | null =>
  left === 0 ? null : `${plural(left, 'further response')} beyond the ledger’s room`;
