import { parseList, Token } from 'structured-headers';
import { durationIn } from './wait-text.ts';

/**
 * This file reads the values of limit headers: the lists that the IETF's drafts define, and the other notations of
 * gateways.
 */

/** Returns a parsed number if the number is finite and exact (below 2^53); `null` for any other value. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(Math.trunc(value)) ? value : null;

/**
 * Returns a count, rounded down to a whole number, because the remaining amount of a token bucket may have a fraction.
 */
export const wholeOf = (value: unknown): number | null => {
  const count = countOf(value);
  return count === null ? null : Math.floor(count);
};

/** One member of a list of limits: `100`, `100;w=60` or, as in old drafts, `100;window=60`. */
export interface Policy {
  readonly limit: number;
  /** The window in ms; `null` if the member names no window. */
  readonly window: number | null;
  readonly name: string | null;
}

export type Parameters = ReadonlyMap<string, unknown>;

/** Returns a word, written with or without quotes; `null` for any other value. */
export const parameterWord = (value: unknown): string | null => {
  if (value instanceof Token) return value.toString();
  return typeof value === 'string' ? value : null;
};

export const windowIn = (parameters: Parameters): number | null => {
  const seconds = countOf(parameters.get('w')) ?? countOf(parameters.get('window'));
  return seconds === null ? null : seconds * 1000;
};

/**
 * Reads a list of unnamed limits, as in the header RateLimit-Limit and in policies before draft 8; returns `null` for
 * any other text.
 */
const readPolicies = (text: string): readonly Policy[] | null => {
  try {
    const policies = parseList(text).map(([value, all]) => {
      const parameters: Parameters = all;
      return {
        limit: Array.isArray(value) ? null : wholeOf(value),
        window: windowIn(parameters),
        name: parameterWord(parameters.get('name')),
      };
    });
    const isRead = (policy: (typeof policies)[number]): policy is Policy => policy.limit !== null;
    return policies.length > 0 && policies.every(isRead) ? policies : null;
  } catch {
    return null;
  }
};

const scales: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, b: 1e9 };
const month = 30 * 86_400_000;

const amount = String.raw`(?<count>\d[\d_]{0,20}(?:\.\d{1,9})?)`;
const unit = '(?<unit>r|reqs?|requests?|calls?|quer(?:y|ies)|t|tok|tokens?)';
const time = String.raw`(?:/|-|\b(?:per|an?|each|every|in)\b) ?(?:rolling )?(?<time>\d{0,6} ?[a-z]+)`;
/** Matches `60/minute`, `60 requests per 15 minutes`, `10r/s` (nginx), `10-M` (ulule/limiter), `60 RPM`, `200k`. */
const notation = new RegExp(
  `^${amount} ?(?:(?<scale>[kmgb])(?:illion)?\\b)? ?(?:(?<short>[rt]p[smhd])|${unit}?(?: ?${time})?)$`,
  'i',
);
const thousands = /(?<=^|, )\d{1,3}(?:,\d{3})+(?!\d)/g;

const withoutCommas = (number: string): string => number.replaceAll(',', '');

/**
 * Matches the parts of a text that do not change its limit: a burst, for example in Lever's `10 req/s (burst 20)`; to
 * whom the limit applies (`per key`); and how its window moves (`sliding`).
 */
const qualifiers =
  /[ ,;]{0,3}(?:\bburst(?: of)?[ :=]*\d{1,15}|\b(?:per|by) (?:api[ -]?key|key|user|client|ip|model|tenant|org(?:anization)?|project|team)|\b(?:sliding|fixed|rolling)(?: window)?)(?= *(?:$|[,;]))/gi;

/** Returns the text of a limit or a list of limits, without brackets and without words that do not change the limit. */
const withoutQualifiers = (text: string): string =>
  text.replaceAll(/[()]+/g, ' ').replaceAll(/\s+/g, ' ').trim().replaceAll(qualifiers, '');

/** Returns the window that `minute`, `15m` or `month` means, in ms; NaN for any other text. */
export const windowOf = (text: string): number =>
  /^1? ?mo(?:nth)?$/i.test(text) ? month : durationIn(/^\d/.test(text) ? text : `1${text}`);

const isOfTokens = (word: string): boolean => /^t/i.test(word);

/**
 * Reads one limit in a notation outside the IETF's drafts. `isTokens` says whether the header is for tokens. Returns
 * `null` for any other text, and if the text names another unit than the header.
 */
export const readNotation = (text: string, isTokens: boolean): Policy | null => {
  // Two proxies may have written the same limit: `60, 60` is read as `60`.
  const once = text.replace(/^([^,]{1,40}), *\1$/, '$1');
  const plain = withoutQualifiers(once).replace(thousands, withoutCommas);
  const groups = notation.exec(plain)?.groups;
  if (groups === undefined) return null;
  const { count, scale = '', short, unit: word = short, time: said = short?.at(-1) } = groups;
  const limit = wholeOf(Number(count!.replaceAll('_', '')) * (scales[scale.toLowerCase()] ?? 1));
  const window = said === undefined ? null : windowOf(said);
  const isOther = word !== undefined && isOfTokens(word) !== isTokens;
  return limit === null || limit === 0 || Number.isNaN(window) || isOther
    ? null
    : { limit, window, name: null };
};

/**
 * Reads a list of unnamed limits, in the syntax of the IETF RateLimit drafts or in another notation; returns `null` for
 * any other text.
 */
export const readLimitList = (text: string, isTokens: boolean): readonly Policy[] | null => {
  // `2,000` is a number. `100,100` is a list of two equal numbers, from two proxies.
  const plain = text.replace(thousands, (number) =>
    new Set(number.split(',')).size > 1 ? withoutCommas(number) : number,
  );
  const policies = readPolicies(plain);
  if (policies !== null) return policies;
  const members = withoutQualifiers(plain)
    .split(/[,;]/)
    .map((member) => member.trim());
  const read = members.map((member) => readNotation(member, isTokens));
  return read.every((member) => member !== null) ? read : null;
};

/**
 * Removes from a list of named policies everything that the drafts forbid. Hugging Face writes the kind of the window
 * before the name (huggingface.co/docs/hub/rate-limits: `"fixed window";"api";q=500;w=300`). Other servers write the
 * names of parameters in capitals, write numbers in quotes, or put a comma or semicolon at the end.
 */
export const plainList = (text: string): string =>
  text
    .replaceAll(' ;', ';')
    .replaceAll(/"[^"]*"; ?(?="[^"]*";)/g, '')
    .replaceAll(/; ?(?:q|r|t|w|qu) ?= ?/gi, (name) => name.replaceAll(' ', '').toLowerCase())
    .replaceAll(/(?<==)"(\d+)"/g, '$1')
    .replace(/[;, ]+$/, '');
