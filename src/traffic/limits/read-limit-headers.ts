import { parseDictionary, parseList } from 'structured-headers';
import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { millisecondsUntilReset } from './wait-text.ts';

/** This file reads the limit headers of known gateways into one form. */

export type HeaderFields = Readonly<Record<string, string>>;

const field = '(?<field>limit|remaining|reset)';
const period = '(?<descriptor>second|minute|hour|day|month|year)';

/**
 * Returns a profile of headers that contain one value each. `unit` is the limit's unit if the pattern has no group for
 * it.
 */
const profileOf = (name: string, pattern: string, unit = '') => ({
  name,
  pattern: new RegExp(`^${pattern}$`),
  unit,
});

/**
 * The profiles, the most specific first. A header belongs to the first one that matches. Sources are the documentation
 * or code of LiteLLM's proxy; OpenAI (Azure and Groq use its names with other values: whole seconds and −1, requests
 * per day); Anthropic; Mistral; Cerebras; Kong's rate-limiting plugin; the first drafts of the IETF's; and the customary `X-RateLimit-*`.
 */
const headerProfiles = [
  profileOf(
    'openai',
    `x-ratelimit-${field}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|images)`,
  ),
  profileOf('mistral', `x-ratelimit-${field}-req-${period}`, 'requests'),
  profileOf('mistral', `x-ratelimit-${field}-tokens-${period}`, 'tokens'),
  profileOf('mistral', `(x-)?ratelimitbysize-${field}-${period}`, 'tokens'),
  profileOf('cerebras', `x-ratelimit-${field}-(?<unit>requests|tokens)-${period}`),
  profileOf('kong', `x-ratelimit-${field}-${period}`, 'requests'),
  profileOf('litellm', `x-ratelimit-(?<descriptor>.+)-${field}-(?<unit>[^-]+)`),
  profileOf(
    'anthropic',
    `anthropic-ratelimit-(?<unit>requests|tokens|input-tokens|output-tokens)-${field}`,
  ),
  profileOf('ietf-draft-7', `ratelimit-${field}`, 'requests'),
  profileOf('legacy', `x-rate-?limit-${field}`, 'requests'),
];

/** The headers that belong to limits but contain no remaining number. */
const ignoredHeaders = /^x-ratelimit-tokens-query-cost$/;

const isLimitHeader = /^(x-)?rate-?limit|^anthropic-ratelimit-/;

const integer = /^-?\d{1,15}$/;

type LimitName = Pick<ReportedLimit, 'profile' | 'descriptor' | 'unit'>;
type LimitValues = Partial<Omit<ReportedLimit, keyof LimitName>>;

/** Reads the value of one header; `null` if it cannot be read. */
const readValue = (kind: string, text: string, now: number): LimitValues | null => {
  if (kind === 'reset') {
    const wait = millisecondsUntilReset(text, now);
    return wait === null ? null : { resetIn: milliseconds(wait) };
  }
  if (!integer.test(text.trim())) return null;
  const count = Number(text);
  // As a limit, −1 is Azure's placeholder for "not reported". As remaining it may be a real overdraft.
  return { [kind]: kind === 'limit' && count === -1 ? null : count };
};

/** The headers of IETF draft 8 and later: `RateLimit-Policy: "name";q=60;w=60` and `RateLimit: "name";r=59;t=12`. */
const structuredHeaders = ['ratelimit-policy', 'ratelimit'] as const;

const structuredValues = (
  header: (typeof structuredHeaders)[number],
  parameters: ReadonlyMap<string, unknown>,
): LimitValues => {
  const [quota, remaining, seconds] = ['q', 'r', 't'].map((name) => {
    const value = parameters.get(name);
    return typeof value === 'number' ? value : null;
  });
  if (header === 'ratelimit-policy') return typeof quota === 'number' ? { limit: quota } : {};
  const resetIn = typeof seconds === 'number' ? milliseconds(seconds * 1000) : null;
  return { remaining: remaining ?? null, resetIn };
};

/**
 * Reads the combined header of IETF draft 7, `RateLimit: limit=60, remaining=0, reset=2` (express-rate-limit,
 * `source/headers.ts`, its default standard headers); `null` for any other form.
 */
const readCombined = (text: string): LimitValues | null => {
  if (!/^\s*(?:limit|remaining|reset)\s*=/.test(text)) return null;
  try {
    const cells = parseDictionary(text);
    const cell = (name: string): number | null => {
      const value: unknown = cells.get(name)?.[0];
      return typeof value === 'number' ? value : null;
    };
    const reset = cell('reset');
    return {
      limit: cell('limit'),
      remaining: cell('remaining'),
      resetIn: reset === null ? null : milliseconds(reset * 1000),
    };
  } catch {
    return null;
  }
};

/**
 * Reads all limit headers of a response. `now` is the time of the response in ms since 1970 by the server's clock (its
 * `Date` header), which absolute resets need. It never throws: unreadable headers are listed in `unreadable`, as `name:
 * value`.
 */
export const readReportedLimits = (headers: HeaderFields, now: number) => {
  const [single, structured] = [new Map<string, ReportedLimit>(), new Map<string, ReportedLimit>()];
  const unreadable: string[] = [];
  const add = (to: typeof single, name: LimitName, values: LimitValues): void => {
    if (Object.keys(values).length === 0) return;
    const key = `${name.profile} ${name.descriptor} ${name.unit}`;
    const limit = to.get(key) ?? { ...name, limit: null, remaining: null, resetIn: null };
    to.set(key, { ...limit, ...values });
  };
  for (const name of structuredHeaders) {
    const text = headers[name] ?? '';
    const combined = name === 'ratelimit' ? readCombined(text) : null;
    if (combined !== null) {
      add(single, { profile: 'ietf-draft-7', descriptor: null, unit: 'requests' }, combined);
      continue;
    }
    try {
      // An inner list contains several items.
      const items = parseList(text).filter(([value]) => !Array.isArray(value));
      for (const [value, parameters] of items) {
        const limit = { profile: 'ietf', descriptor: String(value), unit: 'requests' };
        add(structured, limit, structuredValues(name, parameters));
      }
    } catch {
      unreadable.push(`${name}: ${text}`);
    }
  }
  for (const [name, text] of Object.entries(headers)) {
    if (!isLimitHeader.test(name) || ignoredHeaders.test(name)) continue;
    const profile = headerProfiles.find(({ pattern }) => pattern.test(name));
    if (profile === undefined) continue;
    const { groups } = profile.pattern.exec(name)!;
    const { descriptor = null, unit = profile.unit, field: kind } = groups!;
    const values = readValue(kind!, text, now);
    if (values === null) unreadable.push(`${name}: ${text}`);
    else add(single, { profile: profile.name, descriptor, unit }, values);
  }
  return { reported: [...single.values(), ...structured.values()], unreadable };
};
