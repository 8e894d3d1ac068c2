import type { LedgerEntry } from '../../../model/observation/ledger.ts';

/** What the checks of a key's ledger say in the same words. */

const maxEvidence = 5;

/** A few requests as evidence, each in one line. */
export const ledgerEvidence = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries
    .slice(0, maxEvidence)
    .map(
      ({ traffic, sent, status }) =>
        `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

export const formatCount = (value: number): string => value.toLocaleString('en-US');
