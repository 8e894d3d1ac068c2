import { parseDictionary, parseList } from 'structured-headers';
import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { type HeaderMeaning, meaningOf } from './header-families.ts';
import {
  countOf,
  type Parameters,
  plainList,
  type Policy,
  readLimitList,
  readNotation,
  wholeOf,
  windowIn,
  parameterWord,
} from './limit-text.ts';
import {
  dropUnreported,
  type HeaderFields,
  inferWindows,
  joinRenewals,
  joinTwins,
  joinWindow,
  type MutableLimit,
  withPolicies,
} from './limit-windows.ts';
import { millisecondsUntilReset } from './wait-text.ts';

export type { HeaderFields } from './limit-windows.ts';

/** This file reads the limit headers of known gateways, and returns all limits in one form. */

const minute = 60_000;
const day = 86_400_000;

const decimal = /^-?\d{1,15}(?:\.\d{1,9})?$/;

type LimitName = Pick<ReportedLimit, 'profile' | 'descriptor' | 'unit'>;
type LimitValues = Partial<Omit<ReportedLimit, keyof LimitName>>;

const windowCell = (window: number | null): LimitValues =>
  window === null ? {} : { window: milliseconds(window) };

export const wordsOfWindows: Readonly<Record<number, string>> = {
  1000: 'second',
  [minute]: 'minute',
  3_600_000: 'hour',
  [day]: 'day',
  [30 * day]: 'month',
};

const nameOfPolicy = ({ name, window }: Policy): string | null =>
  name ?? (window === null ? null : (wordsOfWindows[window] ?? `${window / 1000} s`));

const shortWait = /^\d{1,9}(?:\.\d{1,9})?(?:ms|s)?$/;

/**
 * Reads a reset quickly, in ms, if it is a number of seconds or a duration such as `20ms` or `1.5s`. Returns `null` for
 * any other form of a reset, which `millisecondsUntilReset` reads.
 */
const quickWait = (text: string): number | null => {
  if (!shortWait.test(text)) return null;
  const amount = Number.parseFloat(text);
  return text.endsWith('ms') ? amount : amount * 1000;
};

/**
 * Collects the values of limits by the name of the limit. This code runs for each answer. An answer has few limits, so
 * searching a list is faster than building a key for a map.
 */
class Collection {
  readonly all: MutableLimit[] = [];

  limit(profile: string, descriptor: string | null, unit: string): MutableLimit {
    for (const each of this.all) {
      if (each.unit === unit && each.profile === profile && each.descriptor === descriptor)
        return each;
    }
    const limit = { profile, descriptor, unit, limit: null, remaining: null, resetIn: null };
    this.all.push(limit);
    return limit;
  }

  add({ profile, descriptor, unit }: LimitName, values: LimitValues): void {
    Object.assign(this.limit(profile, descriptor, unit), values);
  }
}

const draft7 = { profile: 'ietf-draft-7', descriptor: null, unit: 'requests' } as const;

/**
 * Reads the combined header of IETF draft 7, `RateLimit: limit=60, remaining=0, reset=2` (express-rate-limit,
 * `source/headers.ts`, its default); returns `null` for any other form.
 */
const readCombined = (text: string): LimitValues | null => {
  if (!/^\s*(?:limit|remaining|reset)\s*=/i.test(text)) return null;
  try {
    // Some gateways write this header with quotes, or with blanks around `=`.
    const plain = text.toLowerCase().replaceAll(/ *(=) *|"/g, '$1');
    const cells = parseDictionary(plain.replaceAll(/;\s*(?=limit|remaining|reset)/g, ', '));
    const cell = (name: string): number | null => wholeOf(cells.get(name)?.[0]);
    const reset = countOf(cells.get('reset')?.[0]);
    return {
      limit: cell('limit'),
      remaining: cell('remaining'),
      resetIn: reset === null ? null : milliseconds(reset * 1000),
      ...windowCell(windowIn(cells.get('limit')?.[1] ?? new Map())),
    };
  } catch {
    return null;
  }
};

/**
 * Matches words for concurrent requests, for example in `concurrent-requests` and `in_flight`. A limit on concurrent
 * requests is not a rate.
 */
export const concurrency = /concurren|parallel|simultaneous|in.?flight/i;

/** Returns the unit of a policy of draft 8 or later, from the policy's parameter `qu` or from the policy's name. */
const unitOfPolicy = (name: string, parameters: Parameters): string => {
  const unit = parameterWord(parameters.get('qu'));
  const said = unit ?? name;
  if (concurrency.test(said)) return 'concurrent-requests';
  if (/token/i.test(said)) return 'tokens';
  return unit === null || /request/i.test(said) ? 'requests' : said;
};

/**
 * Reads `RateLimit-Policy: "name";q=60;w=60` and `RateLimit: "name";r=59;t=12` of IETF draft 8 and later. The unit of
 * both headers comes from the policy, so the policy must be read first. Throws an error for any other text.
 */
const readNamedPolicies = (text: string, into: Collection, units: Map<string, string>): void => {
  for (const [value, parameters] of parseList(plainList(text))) {
    // An inner list is not a policy.
    if (Array.isArray(value)) continue;
    const descriptor = String(value);
    const unit = units.get(descriptor) ?? unitOfPolicy(descriptor, parameters);
    units.set(descriptor, unit);
    const [quota, remaining, seconds] = ['q', 'r', 't'].map((name) => {
      const cell: unknown = parameters.get(name);
      if (cell === undefined) return undefined;
      return name === 't' ? countOf(cell) : wholeOf(cell);
    });
    into.add(
      { profile: 'ietf', descriptor, unit },
      {
        ...(quota === undefined ? {} : { limit: quota }),
        ...(remaining === undefined ? {} : { remaining }),
        ...(seconds === undefined
          ? {}
          : { resetIn: seconds === null ? null : milliseconds(seconds * 1000) }),
        ...windowCell(windowIn(parameters)),
      },
    );
  }
};

/**
 * Reads `RateLimit` and `RateLimit-Policy`. Returns the policies without names. The limits in other headers get their
 * windows from these policies.
 */
const readStructured = (
  headers: HeaderFields,
  into: Collection,
  unreadable: string[],
): readonly Policy[] => {
  const units = new Map<string, string>();
  const policies: Policy[] = [];
  for (const name of ['ratelimit-policy', 'ratelimit'] as const) {
    const text = headers[name];
    if (text === undefined) continue;
    const combined = name === 'ratelimit' ? readCombined(text) : null;
    const unnamed = combined === null ? readLimitList(text, false) : null;
    if (combined !== null) into.add(draft7, combined);
    else if (unnamed !== null) policies.push(...unnamed);
    else {
      try {
        readNamedPolicies(text, into, units);
      } catch {
        unreadable.push(`${name}: ${text}`);
      }
    }
  }
  return policies;
};

/**
 * Brave (Search API, Rate limiting) and Helicone send policies (limits with windows) in these headers, without names.
 */
const policyHeaders = ['x-ratelimit-policy', 'helicone-ratelimit-policy'] as const;

const namelessPolicies = (headers: HeaderFields): readonly Policy[] =>
  policyHeaders.flatMap((name) => {
    const text = headers[name];
    return text === undefined ? [] : (readLimitList(text, false) ?? []);
  });

/** Gives each limit the window of the policy that declares the same limit. Any other policy becomes a limit itself. */
const joinPolicies = (policies: readonly Policy[], single: Collection): void => {
  const used = new Set<Policy>();
  for (const limit of single.all) {
    if (!withPolicies.includes(limit.profile)) continue;
    const policy = policies.find((each) => each.limit === limit.limit);
    if (policy === undefined) continue;
    used.add(policy);
    Object.assign(limit, windowCell(policy.window));
  }
  for (const policy of policies) {
    if (used.has(policy)) continue;
    const values = { limit: policy.limit, ...windowCell(policy.window) };
    single.add({ ...draft7, descriptor: nameOfPolicy(policy) }, values);
  }
};

/**
 * Returns the first number of a list of seconds. If a header lists several limits, the reset header also lists several
 * numbers.
 */
const firstIn = (text: string, hasLists: boolean): string =>
  hasLists && /^\d+(?:, *\d+)+$/.test(text) ? text.slice(0, text.indexOf(',')) : text;

/** Reads the value of one header into its limit. Returns false if the value cannot be read. */
const readCell = (
  { field: kind, unit, hasLists }: HeaderMeaning,
  text: string,
  limit: MutableLimit,
  now: () => number,
): boolean => {
  if (kind === 'reset') {
    const wait = quickWait(text) ?? millisecondsUntilReset(firstIn(text, hasLists), now());
    if (wait !== null) limit.resetIn = milliseconds(wait);
    return wait !== null;
  }
  if (decimal.test(text)) {
    const count = Math.floor(Number(text));
    // A limit of −1 is Azure's value for "not reported". A remaining amount of −1 may be real, if the client used more
    // than the limit.
    limit[kind] = kind === 'limit' && count === -1 ? null : count;
    return true;
  }
  const isTokens = unit.includes('tokens');
  const first = hasLists ? readLimitList(text, isTokens)?.[0] : readNotation(text, isTokens);
  if (first === undefined || first === null) return false;
  limit[kind] = first.limit;
  if (first.window !== null) limit.window = milliseconds(first.window);
  return true;
};

export const readLimits = (headers: HeaderFields, now: () => number) => {
  const limits = new Collection();
  const policies: Policy[] = [];
  const unreadable: string[] = [];
  for (const name in headers) {
    const meaning = meaningOf(name);
    if (meaning === null) continue;
    const text = headers[name]!.trim();
    const known = limits.all.length;
    const limit = limits.limit(meaning.family, meaning.descriptor, meaning.unit);
    if (!readCell(meaning, text, limit, now)) {
      unreadable.push(`${name}: ${text}`);
      limits.all.length = known;
      continue;
    }
    if (meaning.window !== null) limit.window ??= milliseconds(meaning.window);
    if (meaning.hasLists && meaning.field === 'limit' && /[;,]/.test(text))
      policies.push(...(readLimitList(text, false) ?? []).filter(({ window }) => window !== null));
  }
  policies.push(...readStructured(headers, limits, unreadable), ...namelessPolicies(headers));
  if (policies.length > 0) joinPolicies(policies, limits);
  joinWindow(headers, limits.all);
  joinRenewals(headers, limits.all);
  joinTwins(limits.all);
  dropUnreported(limits.all);
  inferWindows(limits.all);
  return { reported: limits.all as readonly ReportedLimit[], unreadable };
};

/** Returns quickly whether a response has a limit header, because most responses have none. */
export const declaresLimits = (headers: HeaderFields): boolean => {
  for (const name in headers) if (meaningOf(name) !== null) return true;
  if (headers['ratelimit'] !== undefined || headers['ratelimit-policy'] !== undefined) return true;
  return policyHeaders.some((name) => headers[name] !== undefined);
};

/**
 * Reads all limit headers of a response. Absolute reset times are compared with `now`, the time of the response by the
 * server's clock (the `Date` header), in ms since 1970. This function never throws: `unreadable` lists the headers that
 * cannot be read, as `name: value`.
 */
export const readReportedLimits = (headers: HeaderFields, now: number) =>
  readLimits(headers, () => now);
