import type { LedgerEntry } from '../../model/ledger.ts';

/** What the checks of a key's ledger say in the same words. */

const few = 5;

/** A few requests as evidence, each in one line. */
export const evidenceOf = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries
    .slice(0, few)
    .map(
      ({ traffic, sent, status }) =>
        `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

export const whole = (value: number): string => value.toLocaleString('en-US');
