import { type BareItem, parseList } from 'structured-headers';
import type { ToldLimit } from '../../model/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { resetIn } from './reset-time.ts';

/** The limit headers that gateways in the field send, read into one form. */

export type Headers = Readonly<Record<string, string>>;

/** What one header tells of one limit. */
interface Cell {
  readonly descriptor: string | null;
  readonly unit: string;
  readonly fact: 'limit' | 'remaining' | 'reset';
}

/** Headers of one cell each, by the names of their profile. */
interface CellProfile {
  readonly name: string;
  readonly pattern: RegExp;
  /** What the groups of the pattern mean. */
  readonly cell: (groups: Readonly<Record<string, string | undefined>>) => Cell;
}

const fact = '(?<fact>limit|remaining|reset)';
const factOf = ({ fact: word }: Readonly<Record<string, string | undefined>>): Cell['fact'] =>
  word as Cell['fact'];

/**
 * The profiles, the most particular first; a header belongs to the first that knows it. Read in the
 * documentation or the source of: LiteLLM's proxy; OpenAI (Azure and Groq use its names, with other
 * values: whole seconds and −1, requests per day); Anthropic; Mistral; the first drafts of the IETF's;
 * and the customary `X-RateLimit-*`.
 */
const cellProfiles: readonly CellProfile[] = [
  {
    name: 'openai',
    pattern: new RegExp(
      `^x-ratelimit-${fact}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|images)$`,
    ),
    cell: (groups) => ({ descriptor: null, unit: groups['unit']!, fact: factOf(groups) }),
  },
  {
    name: 'mistral',
    pattern: new RegExp(`^x-ratelimit-${fact}-(?<unit>req|tokens)-(?<per>minute|month|second)$`),
    cell: (groups) => ({
      descriptor: groups['per']!,
      unit: groups['unit'] === 'req' ? 'requests' : 'tokens',
      fact: factOf(groups),
    }),
  },
  {
    name: 'mistral',
    pattern: new RegExp(`^(x-)?ratelimitbysize-${fact}-(?<per>minute|month|second)$`),
    cell: (groups) => ({ descriptor: groups['per']!, unit: 'tokens', fact: factOf(groups) }),
  },
  {
    name: 'litellm',
    pattern: new RegExp(`^x-ratelimit-(?<descriptor>.+)-${fact}-(?<unit>[^-]+)$`),
    cell: (groups) => ({
      descriptor: groups['descriptor']!,
      unit: groups['unit']!,
      fact: factOf(groups),
    }),
  },
  {
    name: 'anthropic',
    pattern: new RegExp(
      `^anthropic-ratelimit-(?<unit>requests|tokens|input-tokens|output-tokens)-${fact}$`,
    ),
    cell: (groups) => ({ descriptor: null, unit: groups['unit']!, fact: factOf(groups) }),
  },
  {
    name: 'ietf-draft-7',
    pattern: new RegExp(`^ratelimit-${fact}$`),
    cell: (groups) => ({ descriptor: null, unit: 'requests', fact: factOf(groups) }),
  },
  {
    name: 'legacy',
    pattern: new RegExp(`^x-rate-?limit-${fact}$`),
    cell: (groups) => ({ descriptor: null, unit: 'requests', fact: factOf(groups) }),
  },
];

/** What is known to belong to limits and tells no rest. */
const aside = /^x-ratelimit-tokens-query-cost$/;

const isLimitHeader = /^(x-)?rate-?limit|^anthropic-ratelimit-/;

const integer = /^-?\d{1,15}$/;

/** A count, `null` for Azure's placeholder, or `undefined` for what is none. */
const readCount = (text: string, kind: 'limit' | 'remaining'): number | null | undefined => {
  const said = text.trim();
  if (!integer.test(said)) return undefined;
  const count = Number(said);
  // −1 stands for "not told" as a limit; as a rest it may be a real overdraft.
  return kind === 'limit' && count === -1 ? null : count;
};

/** Limits and rests as they are gathered from single headers. */
type Draft = { -readonly [Name in keyof ToldLimit]: ToldLimit[Name] };

/** What the headers of a response told of its limits. */
export interface ToldLimits {
  readonly told: readonly ToldLimit[];
  /** Limit headers whose value could not be read, as `name: value`. */
  readonly unreadable: readonly string[];
}

/** A value and its parameters. */
type Item = readonly [BareItem, ReadonlyMap<string, unknown>];

const parameter = ([, parameters]: Item, name: string): number | null => {
  const value = parameters.get(name);
  return typeof value === 'number' ? value : null;
};

/** The items of a structured list; `null` when it is none. */
const itemsOf = (text: string): readonly Item[] | null => {
  try {
    // An inner list holds several items.
    return parseList(text).flatMap(([value, parameters]): Item[] =>
      Array.isArray(value) ? [] : [[value, parameters]],
    );
  } catch {
    return null;
  }
};

const wordOf = ([value]: Item): string => String(value);

/** IETF draft 8 and later: `RateLimit-Policy: "name";q=60;w=60` and `RateLimit: "name";r=59;t=12`. */
const readStructured = (headers: Headers): ToldLimits => {
  const policies = headers['ratelimit-policy'];
  const rests = headers['ratelimit'];
  const told = new Map<string, Draft>();
  const unreadable: string[] = [];
  const draftOf = (descriptor: string): Draft => {
    const known = told.get(descriptor);
    if (known !== undefined) return known;
    const draft: Draft = {
      ...{ profile: 'ietf', descriptor, unit: 'requests' },
      ...{ limit: null, remaining: null, resetIn: null },
    };
    told.set(descriptor, draft);
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
    draftOf(wordOf(item)).limit = quota;
  });
  read('ratelimit', rests, (item) => {
    const draft = draftOf(wordOf(item));
    draft.remaining = parameter(item, 'r');
    const seconds = parameter(item, 't');
    draft.resetIn = seconds === null ? null : milliseconds(seconds * 1000);
  });
  return { told: [...told.values()], unreadable };
};

/**
 * Reads whatever limit headers a response bears. `now` is the time of the response in ms since 1970
 * by the server's clock (its `Date` header), against which absolute resets are held. Never throws:
 * what cannot be read is told in `unreadable`.
 */
export const readToldLimits = (headers: Headers, now: number): ToldLimits => {
  const structured = readStructured(headers);
  const told = new Map<string, Draft>();
  const unreadable = [...structured.unreadable];
  for (const [name, text] of Object.entries(headers)) {
    if (!isLimitHeader.test(name) || aside.test(name)) continue;
    if (name === 'ratelimit' || name === 'ratelimit-policy') continue;
    const profile = cellProfiles.find(({ pattern }) => pattern.test(name));
    if (profile === undefined) continue;
    const { descriptor, unit, fact: kind } = profile.cell(profile.pattern.exec(name)!.groups!);
    const value = kind === 'reset' ? resetIn(text, now) : readCount(text, kind);
    if (value === undefined || (kind === 'reset' && value === null)) {
      unreadable.push(`${name}: ${text}`);
      continue;
    }
    const place = `${profile.name} ${descriptor} ${unit}`;
    const draft: Draft = told.get(place) ?? {
      ...{ profile: profile.name, descriptor, unit },
      ...{ limit: null, remaining: null, resetIn: null },
    };
    if (kind === 'reset') draft.resetIn = milliseconds(value!);
    else draft[kind] = value;
    told.set(place, draft);
  }
  return { told: [...told.values(), ...structured.told], unreadable };
};
