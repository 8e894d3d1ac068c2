import type { LedgerEntry } from '../../../model/observation/ledger.ts';

const maxEvidence = 5;

export const ledgerEvidence = (entries: readonly LedgerEntry[]): readonly string[] =>
  entries
    .slice(0, maxEvidence)
    .map(
      ({ traffic, sent, status }) =>
        `${traffic} sent at ${(sent / 1000).toFixed(3)} s, status ${status}`,
    );

export const formatCount = (value: number): string => value.toLocaleString('en-US');
