import { type BareItem, parseList } from 'structured-headers';
import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { millisecondsUntilReset } from './retry-after.ts';

/** Reads the limit headers of known gateways into one form. */

export type HeaderFields = Readonly<Record<string, string>>;

const field = '(?<field>limit|remaining|reset)';
const period = '(?<descriptor>minute|month|second)';

/** A profile of headers that contain one value each: `unit` is the limit's where the pattern has no such group. */
const profileOf = (name: string, pattern: string, unit = '') => ({
  name,
  pattern: new RegExp(`^${pattern}$`),
  unit,
});

/**
 * The profiles, the most specific first; a header belongs to the first that matches. Taken from the
 * documentation or the source of: LiteLLM's proxy; OpenAI (Azure and Groq use its names, with other
 * values: whole seconds and −1, requests per day); Anthropic; Mistral; the first drafts of the IETF's;
 * and the customary `X-RateLimit-*`.
 */
const headerProfiles = [
  profileOf(
    'openai',
    `x-ratelimit-${field}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|images)`,
  ),
  profileOf('mistral', `x-ratelimit-${field}-req-${period}`, 'requests'),
  profileOf('mistral', `x-ratelimit-${field}-tokens-${period}`, 'tokens'),
  profileOf('mistral', `(x-)?ratelimitbysize-${field}-${period}`, 'tokens'),
  profileOf('litellm', `x-ratelimit-(?<descriptor>.+)-${field}-(?<unit>[^-]+)`),
  profileOf(
    'anthropic',
    `anthropic-ratelimit-(?<unit>requests|tokens|input-tokens|output-tokens)-${field}`,
  ),
  profileOf('ietf-draft-7', `ratelimit-${field}`, 'requests'),
  profileOf('legacy', `x-rate-?limit-${field}`, 'requests'),
];

/** Headers that belong to limits but contain no remaining. */
const ignoredHeaders = /^x-ratelimit-tokens-query-cost$/;

const isLimitHeader = /^(x-)?rate-?limit|^anthropic-ratelimit-/;

const integer = /^-?\d{1,15}$/;

/** A count, `null` for Azure's placeholder, or `undefined` for other texts. */
const readCount = (text: string, kind: 'limit' | 'remaining'): number | null | undefined => {
  const trimmed = text.trim();
  if (!integer.test(trimmed)) return undefined;
  const count = Number(trimmed);
  // As a limit −1 means "not reported"; as remaining it may be a real overdraft.
  return kind === 'limit' && count === -1 ? null : count;
};

/** Limits collected from single headers. */
type LimitDraft = { -readonly [Name in keyof ReportedLimit]: ReportedLimit[Name] };

/** Finds or adds the draft of a limit. */
const draftIn = (
  drafts: Map<string, LimitDraft>,
  { profile, descriptor, unit }: Pick<ReportedLimit, 'profile' | 'descriptor' | 'unit'>,
): LimitDraft => {
  const key = `${profile} ${descriptor} ${unit}`;
  const draft = drafts.get(key) ?? {
    profile,
    descriptor,
    unit,
    limit: null,
    remaining: null,
    resetIn: null,
  };
  drafts.set(key, draft);
  return draft;
};

/** The limits that the headers of a response report. */
export interface ReportedLimits {
  readonly reported: readonly ReportedLimit[];
  /** Limit headers whose value could not be read, as `name: value`. */
  readonly unreadable: readonly string[];
}

/** A value and its parameters. */
type Item = readonly [BareItem, ReadonlyMap<string, unknown>];

const parameter = ([, parameters]: Item, name: string): number | null => {
  const value = parameters.get(name);
  return typeof value === 'number' ? value : null;
};

/** The items of a structured list; `null` if it is not one. */
const itemsOf = (text: string): readonly Item[] | null => {
  try {
    // An inner list contains several items.
    return parseList(text).flatMap(([value, parameters]): Item[] =>
      Array.isArray(value) ? [] : [[value, parameters]],
    );
  } catch {
    return null;
  }
};

/** IETF draft 8 and later: `RateLimit-Policy: "name";q=60;w=60` and `RateLimit: "name";r=59;t=12`. */
const readStructured = (headers: HeaderFields): ReportedLimits => {
  const reported = new Map<string, LimitDraft>();
  const unreadable: string[] = [];
  const read = (name: string, take: (draft: () => LimitDraft, item: Item) => void): void => {
    const text = headers[name];
    if (text === undefined) return;
    const items = itemsOf(text);
    if (items === null) unreadable.push(`${name}: ${text}`);
    for (const item of items ?? []) {
      const limit = { profile: 'ietf', descriptor: String(item[0]), unit: 'requests' };
      take(() => draftIn(reported, limit), item);
    }
  };
  read('ratelimit-policy', (draft, item) => {
    const quota = parameter(item, 'q');
    if (quota !== null) draft().limit = quota;
  });
  read('ratelimit', (draft, item) => {
    const seconds = parameter(item, 't');
    const resetIn = seconds === null ? null : milliseconds(seconds * 1000);
    Object.assign(draft(), { remaining: parameter(item, 'r'), resetIn });
  });
  return { reported: [...reported.values()], unreadable };
};

/**
 * Reads all limit headers of a response. `now` is the time of the response in ms since 1970
 * by the server's clock (its `Date` header), for absolute resets. Never throws:
 * unreadable headers are listed in `unreadable`.
 */
export const readReportedLimits = (headers: HeaderFields, now: number): ReportedLimits => {
  const structured = readStructured(headers);
  const reported = new Map<string, LimitDraft>();
  const unreadable = [...structured.unreadable];
  for (const [name, text] of Object.entries(headers)) {
    if (!isLimitHeader.test(name) || ignoredHeaders.test(name)) continue;
    const profile = headerProfiles.find(({ pattern }) => pattern.test(name));
    if (profile === undefined) continue;
    const {
      descriptor = null,
      unit = profile.unit,
      ...groups
    } = profile.pattern.exec(name)!.groups!;
    const kind = groups['field'] as 'limit' | 'remaining' | 'reset';
    const value = kind === 'reset' ? millisecondsUntilReset(text, now) : readCount(text, kind);
    if (value === undefined || (kind === 'reset' && value === null)) {
      unreadable.push(`${name}: ${text}`);
      continue;
    }
    const draft = draftIn(reported, { profile: profile.name, descriptor, unit });
    if (kind === 'reset') draft.resetIn = milliseconds(value!);
    else draft[kind] = value;
  }
  return { reported: [...reported.values(), ...structured.reported], unreadable };
};
