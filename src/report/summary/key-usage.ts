import { interfaceLimits } from '../../model/limits/run-limits.ts';
import { type LedgerEntry, toLedgerEntry } from '../../model/observation/ledger.ts';
import type { Result } from '../../model/result/result.ts';
import { countText, momentText, plural } from '../text/number-text.ts';

/** The limits and the remaining quota of a key, from its ledger. */
export interface KeyUsage {
  readonly key: string;
  /** Responses with a status; `limited` of them were 429. */
  readonly answered: number;
  readonly limited: number;
  /** When the first 429 came, in ms since the run began. */
  readonly firstLimited: number | null;
  readonly requests: ObservedLimit;
  readonly tokens: ObservedLimit;
  /** Responses that the ledger had no room for; the figures above do not include them. */
  readonly unrecorded: number;
}

/** One of a key's two limits. */
export interface ObservedLimit {
  /** The limit that the plan declares; `null` for none. */
  readonly declared: number | null;
  /** Whether the limit is the interface's default, not one that the scenario declares. */
  readonly isInterfaceDefault: boolean;
  /** The different limits in headers, ascending; more than one is a finding. */
  readonly reported: readonly number[];
  readonly lowest: number | null;
  readonly last: number | null;
}

type Column = Extract<keyof LedgerEntry, `${'limit' | 'remaining'}${string}`>;

const observedLimit = (
  entries: readonly LedgerEntry[],
  [declared, interfaceLimit]: readonly [number | null, number],
  [limit, remaining]: readonly [Column, Column],
): ObservedLimit => {
  const cells = (column: Column): readonly number[] =>
    entries.flatMap((entry) => entry[column] ?? []);
  const left = cells(remaining);
  return {
    declared,
    isInterfaceDefault: declared === interfaceLimit,
    reported: [...new Set(cells(limit))].toSorted((a, b) => a - b),
    lowest: left.length === 0 ? null : left.reduce((a, b) => Math.min(a, b)),
    last: left.at(-1) ?? null,
  };
};

const usageOf = (
  { key, rows, left }: Result['ledger'][number],
  { limits }: Result['plan'],
): KeyUsage => {
  const answered = rows.map(toLedgerEntry).filter(({ status }) => status > 0);
  const limitedEntries = answered.filter(({ status }) => status === 429);
  return {
    key,
    answered: answered.length,
    limited: limitedEntries.length,
    firstLimited: limitedEntries.reduce<number | null>(
      (first, { answered: at }) => (first === null || at < first ? at : first),
      null,
    ),
    requests: observedLimit(
      answered,
      [limits.requestsPerMinute, interfaceLimits.requestsPerMinute],
      ['limitRequests', 'remainingRequests'],
    ),
    tokens: observedLimit(
      answered,
      [limits.tokensPerMinute, interfaceLimits.tokensPerMinute],
      ['limitTokens', 'remainingTokens'],
    ),
    unrecorded: left,
  };
};

export const keyUsages = (result: Result): readonly KeyUsage[] =>
  result.ledger.map((ledger) => usageOf(ledger, result.plan));

/** Declared limit against the limit in headers, in words: `600/min as declared`, `header says 100, the interface 60`. */
export const limitText = ({ declared, isInterfaceDefault, reported }: ObservedLimit): string => {
  const headers = reported.map(countText).join(' and ');
  if (reported.length === 0) {
    return declared === null
      ? 'none known'
      : `${countText(declared)}/min ${isInterfaceDefault ? 'by the interface' : 'declared'}, no header seen`;
  }
  if (declared === null) return `${headers}/min by header`;
  if (reported.length === 1 && reported[0] === declared) {
    return `${headers}/min as ${isInterfaceDefault ? 'the interface says' : 'declared'}`;
  }
  return isInterfaceDefault
    ? `header says ${headers}, the interface ${countText(declared)}`
    : `header says ${headers}, declared ${countText(declared)}`;
};

/** The reported remaining quota: `lowest 0, last 12`; a dash without headers. */
export const remainingText = ({ lowest, last }: ObservedLimit): string =>
  lowest === null || last === null ? '–' : `${countText(lowest)}, last ${countText(last)}`;

/** `412, first at 21.3 s`, or `none`. */
export const limitedText = ({ limited, firstLimited }: KeyUsage): string =>
  firstLimited === null ? 'none' : `${countText(limited)}, first at ${momentText(firstLimited)}`;

/** Says how many responses the ledger did not record; `null` if it recorded all. */
export const unrecordedText = ({ unrecorded }: KeyUsage): string | null =>
  unrecorded === 0
    ? null
    : `${plural(unrecorded, 'further response')} not recorded: the ledger was full`;
