import { type BareItem, parseList } from 'structured-headers';
import type { ReportedLimit } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { millisecondsUntilReset } from './reset-time.ts';

/** Reads the limit headers of known gateways into one form. */

export type HeaderFields = Readonly<Record<string, string>>;

/** The part of a limit that one header contains. */
interface LimitField {
  readonly descriptor: string | null;
  readonly unit: string;
  readonly field: 'limit' | 'remaining' | 'reset';
}

/** A profile of headers that contain one value each. */
interface HeaderProfile {
  readonly name: string;
  readonly pattern: RegExp;
  /** The meaning of the pattern's groups. */
  readonly parse: (groups: Readonly<Record<string, string | undefined>>) => LimitField;
}

const fieldPattern = '(?<fact>limit|remaining|reset)';
const fieldOf = ({
  fact: word,
}: Readonly<Record<string, string | undefined>>): LimitField['field'] =>
  word as LimitField['field'];

/**
 * The profiles, the most specific first; a header belongs to the first that matches. Taken from the
 * documentation or the source of: LiteLLM's proxy; OpenAI (Azure and Groq use its names, with other
 * values: whole seconds and −1, requests per day); Anthropic; Mistral; the first drafts of the IETF's;
 * and the customary `X-RateLimit-*`.
 */
const headerProfiles: readonly HeaderProfile[] = [
  {
    name: 'openai',
    pattern: new RegExp(
      `^x-ratelimit-${fieldPattern}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|images)$`,
    ),
    parse: (groups) => ({ descriptor: null, unit: groups['unit']!, field: fieldOf(groups) }),
  },
  {
    name: 'mistral',
    pattern: new RegExp(
      `^x-ratelimit-${fieldPattern}-(?<unit>req|tokens)-(?<per>minute|month|second)$`,
    ),
    parse: (groups) => ({
      descriptor: groups['per']!,
      unit: groups['unit'] === 'req' ? 'requests' : 'tokens',
      field: fieldOf(groups),
    }),
  },
  {
    name: 'mistral',
    pattern: new RegExp(`^(x-)?ratelimitbysize-${fieldPattern}-(?<per>minute|month|second)$`),
    parse: (groups) => ({ descriptor: groups['per']!, unit: 'tokens', field: fieldOf(groups) }),
  },
  {
    name: 'litellm',
    pattern: new RegExp(`^x-ratelimit-(?<descriptor>.+)-${fieldPattern}-(?<unit>[^-]+)$`),
    parse: (groups) => ({
      descriptor: groups['descriptor']!,
      unit: groups['unit']!,
      field: fieldOf(groups),
    }),
  },
  {
    name: 'anthropic',
    pattern: new RegExp(
      `^anthropic-ratelimit-(?<unit>requests|tokens|input-tokens|output-tokens)-${fieldPattern}$`,
    ),
    parse: (groups) => ({ descriptor: null, unit: groups['unit']!, field: fieldOf(groups) }),
  },
  {
    name: 'ietf-draft-7',
    pattern: new RegExp(`^ratelimit-${fieldPattern}$`),
    parse: (groups) => ({ descriptor: null, unit: 'requests', field: fieldOf(groups) }),
  },
  {
    name: 'legacy',
    pattern: new RegExp(`^x-rate-?limit-${fieldPattern}$`),
    parse: (groups) => ({ descriptor: null, unit: 'requests', field: fieldOf(groups) }),
  },
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

const wordOf = ([value]: Item): string => String(value);

/** IETF draft 8 and later: `RateLimit-Policy: "name";q=60;w=60` and `RateLimit: "name";r=59;t=12`. */
const readStructured = (headers: HeaderFields): ReportedLimits => {
  const policies = headers['ratelimit-policy'];
  const remainders = headers['ratelimit'];
  const reported = new Map<string, LimitDraft>();
  const unreadable: string[] = [];
  const draftFor = (descriptor: string): LimitDraft => {
    const known = reported.get(descriptor);
    if (known !== undefined) return known;
    const draft: LimitDraft = {
      profile: 'ietf',
      descriptor,
      unit: 'requests',
      limit: null,
      remaining: null,
      resetIn: null,
    };
    reported.set(descriptor, draft);
    return draft;
  };
  const read = (name: string, text: string | undefined, take: (item: Item) => void): void => {
    if (text === undefined) return;
    const items = itemsOf(text);
    if (items === null) unreadable.push(`${name}: ${text}`);
    else for (const item of items) take(item);
  };
  read('ratelimit-policy', policies, (item) => {
    const quota = parameter(item, 'q');
    if (quota === null) return;
    draftFor(wordOf(item)).limit = quota;
  });
  read('ratelimit', remainders, (item) => {
    const draft = draftFor(wordOf(item));
    draft.remaining = parameter(item, 'r');
    const seconds = parameter(item, 't');
    draft.resetIn = seconds === null ? null : milliseconds(seconds * 1000);
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
    if (name === 'ratelimit' || name === 'ratelimit-policy') continue;
    const profile = headerProfiles.find(({ pattern }) => pattern.test(name));
    if (profile === undefined) continue;
    const { descriptor, unit, field: kind } = profile.parse(profile.pattern.exec(name)!.groups!);
    const value = kind === 'reset' ? millisecondsUntilReset(text, now) : readCount(text, kind);
    if (value === undefined || (kind === 'reset' && value === null)) {
      unreadable.push(`${name}: ${text}`);
      continue;
    }
    const draftKey = `${profile.name} ${descriptor} ${unit}`;
    const draft: LimitDraft = reported.get(draftKey) ?? {
      profile: profile.name,
      descriptor,
      unit,
      limit: null,
      remaining: null,
      resetIn: null,
    };
    if (kind === 'reset') draft.resetIn = milliseconds(value!);
    else draft[kind] = value;
    reported.set(draftKey, draft);
  }
  return { reported: [...reported.values(), ...structured.reported], unreadable };
};
