import { readLimitHeaders } from '../../contract/limit-headers.ts';
import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import {
  concurrency,
  declaresLimits,
  type HeaderFields,
  readLimits,
  wordsOfWindows,
} from './read-limit-headers.ts';
import { dateOf } from './wait-text.ts';

/** This file finds the limits in the headers of an answer: the limits per minute, and all other limits. */

const minute = 60_000;

/** A limit without a window counts as a limit per minute, unless its reset is more than this many ms away. */
const maxMinuteReset = 65_000;

/**
 * Returns the window of a limit, in ms, if the limit counts as a limit per minute; otherwise `null`. Such a window is
 * at most a minute.
 */
const shortWindowOf = ({ window, resetIn }: ReportedLimit): number | null => {
  if (window === undefined) return (resetIn ?? 0) > maxMinuteReset ? null : minute;
  return window > 0 && window <= minute ? window : null;
};

/**
 * Finds, among the limits of a unit, the limit whose window is nearest to a minute. Returns the value of `cell` and the
 * window in ms; `null` without such a limit.
 */
const minuteCell = (
  reported: readonly ReportedLimit[],
  unit: string,
  cell: 'limit' | 'remaining',
) => {
  type Found = Readonly<Record<'value' | 'window' | 'rank', number>> & {
    readonly isAssumed: boolean;
  };
  let best: Found | null = null;
  for (const said of reported) {
    const value = said[cell];
    if (said.unit !== unit || value === null) continue;
    const window = shortWindowOf(said);
    if (window === null) continue;
    // A window that the headers name is preferred to an assumed window.
    const isAssumed = said.window === undefined;
    const rank = 2 * (minute - window) + (isAssumed ? 1 : 0);
    if (best === null || rank < best.rank) best = { value, window, rank, isAssumed };
  }
  return best;
};

/** Returns the limit of a unit, scaled to a minute; `null` without such a limit. */
const minuteLimit = (reported: readonly ReportedLimit[], unit: string): number | null => {
  const found = minuteCell(reported, unit, 'limit');
  return found && Math.floor((found.value * minute) / found.window);
};

/**
 * A limit whose window no header names. Weir treats such a limit as a limit per minute. `text` is, for example, `100
 * requests`.
 */
export interface AssumedLimit {
  readonly unit: 'requests' | 'tokens';
  readonly text: string;
}

type Quota = ReturnType<typeof readLimitHeaders>;
interface DeclaredLimits {
  /** The families of the headers; empty if the headers are the headers of the interface. */
  readonly families: readonly string[];
  /** The limits per minute and their remaining amounts; `null` if the answer declares no such limit. */
  readonly quota: Quota;
  /**
   * The limits with longer windows or other units, in words and without repetitions: `1,000 requests a day`, `50,000
   * input tokens a minute`.
   */
  readonly longer: readonly string[];
  readonly assumed: readonly AssumedLimit[];
}

const amountOf = (limit: number, unit: string): string =>
  `${limit.toLocaleString('en')} ${unit.replaceAll('-', ' ')}`;

const minuteUnits = ['requests', 'tokens'] as const;

const wordsOfLonger = (said: ReportedLimit): readonly string[] => {
  const { limit, unit, window, resetIn } = said;
  const isApart = !minuteUnits.some((each) => each === unit);
  if (limit === null) return [];
  if (concurrency.test(unit) || (isApart && window === undefined && shortWindowOf(said) !== null))
    return [amountOf(limit, unit)];
  if (!isApart && (window ?? Number.POSITIVE_INFINITY) <= minute) return [];
  if (window === undefined && shortWindowOf(said) !== null) return [];
  if (window === undefined)
    return [`${amountOf(limit, unit)} in at least ${Math.floor(resetIn! / 1000)} s`];
  const word = wordsOfWindows[window];
  const time = `${word === 'hour' ? 'an' : 'a'} ${word}`;
  return [`${amountOf(limit, unit)} ${word === undefined ? `in ${window / 1000} s` : time}`];
};

const assumedLimits = (reported: readonly ReportedLimit[]): readonly AssumedLimit[] =>
  minuteUnits.flatMap((unit) => {
    const found = minuteCell(reported, unit, 'limit');
    return found?.isAssumed === true ? [{ unit, text: amountOf(found.value, unit) }] : [];
  });

/**
 * Returns the quota of both units. The values of a unit come from the interface's own headers. If the own headers have
 * neither a limit nor a remaining amount for a unit, the values of this unit come from the headers of other families.
 */
const quotaOf = (own: Quota, reported: readonly ReportedLimit[]): NonNullable<Quota> => {
  const isOwn = (limit: number | null | undefined, remaining: number | null | undefined): boolean =>
    (limit ?? remaining ?? null) !== null;
  const remainingOf = (unit: string) => minuteCell(reported, unit, 'remaining')?.value ?? null;
  const { limitRequests = null, remainingRequests = null } = own ?? {};
  const { limitTokens = null, remainingTokens = null } = own ?? {};
  return {
    ...(isOwn(limitRequests, remainingRequests)
      ? { limitRequests, remainingRequests }
      : {
          limitRequests: minuteLimit(reported, 'requests'),
          remainingRequests: remainingOf('requests'),
        }),
    ...(isOwn(limitTokens, remainingTokens)
      ? { limitTokens, remainingTokens }
      : { limitTokens: minuteLimit(reported, 'tokens'), remainingTokens: remainingOf('tokens') }),
  };
};

/**
 * Returns the limits that an answer declares; `null` if the answer declares no limit. The interface has two headers for
 * each unit. If the answer has at least one of these two headers, the headers of other families do not count for this
 * unit. A limit with a window below a minute is scaled to a minute. A limit per hour or day is not converted to a limit
 * per minute. If no header names the window of a limit, the limit counts as a limit per minute, unless its reset is
 * more than 65 s away.
 */
export const readDeclaredLimits = (headers: HeaderFields): DeclaredLimits | null => {
  if (!declaresLimits(headers)) return null;
  const own = readLimitHeaders(headers);
  if (own !== null && Object.values(own).every((cell) => cell !== null))
    return { families: [], quota: own, longer: [], assumed: [] };
  const { reported } = readLimits(headers, () => dateOf(headers) ?? Number.NaN);
  if (reported.length === 0 && own === null) return null;
  const quota = quotaOf(own, reported);
  return {
    families: own === null ? [...new Set(reported.map(({ profile }) => profile))] : [],
    quota: Object.values(quota).some((cell) => cell !== null) ? quota : null,
    longer: [...new Set(reported.flatMap(wordsOfLonger))],
    assumed: assumedLimits(reported),
  };
};
