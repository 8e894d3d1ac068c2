/**
 * This file is the table of the limit headers of known gateways: the owner of each family, the parts of its names
 * (field, unit, window), and its documentation.
 */

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** The words of windows in names, in ms. A month counts 30 days. */
const windowWords: readonly (readonly [pattern: string, window: number])[] = [
  ['second|secondly', second],
  ['minute|minutely', minute],
  ['hour|hourly', hour],
  ['day|daily', day],
  ['month|monthly', 30 * day],
  ['year|yearly', 365 * day],
];
const period = `(?<period>${windowWords.map(([words]) => words).join('|')})`;

/** Returns the window of a word or of a number of seconds in a name, in ms; `null` for any other text. */
const windowOfWord = (word: string): number | null => {
  if (/^\d{1,8}$/.test(word)) return Number(word) * second;
  return windowWords.find(([words]) => words.split('|').includes(word))?.[1] ?? null;
};

/** The letters of `rpm`, `tpd` and so on. */
const shortUnits: Readonly<Record<string, string>> = { r: 'requests', t: 'tokens' };
const shortWindows: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };

interface HeaderFamily {
  readonly name: string;
  /**
   * Matches a whole name. Its groups: `field` (`limit`, `remaining` or `reset`; a limit if absent), `unit`, `period` (a
   * word or seconds), `descriptor` (whose limit it is) and `short` (`rpm`).
   */
  readonly pattern: RegExp;
  /** The unit if the name has none. */
  readonly unit: string;
  /** The window in ms if the name has none; `null` if only other headers or the time of the reset say it. */
  readonly window: number | null;
  /** Whether its limits can be lists such as `60, 60;w=60`. */
  readonly hasLists: boolean;
}

const field = '(?<field>limit|remaining|reset)';

const family = (
  name: string,
  pattern: string,
  more: Partial<Pick<HeaderFamily, 'unit' | 'window' | 'hasLists'>> = {},
): HeaderFamily => ({
  name,
  pattern: new RegExp(`^${pattern}$`),
  unit: 'requests',
  window: minute,
  hasLists: false,
  ...more,
});

/** The families, the most specific first: a header belongs to the first one whose pattern matches. Comments name the sources. */
export const headerFamilies: readonly HeaderFamily[] = [
  // OpenAI (developers.openai.com, guide “Rate limits”), Azure OpenAI (whole seconds, −1 for unknown), Groq (console.groq.com/docs/rate-limits: requests are of a day), Fireworks.
  family(
    'openai',
    `x-ratelimit-${field}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|project-requests|images|tokens-prompt|tokens-generated|tokens-cache-adjusted-prompt)`,
  ),
  // These are gateways that users build themselves.
  family('short', `x-ratelimit-${field}-(?<short>[rt]p[smhd])`),
  // Mistral (headers of api.mistral.ai, as clients record them).
  family('mistral', `x-ratelimit-${field}-(?<unit>req|tokens)-${period}`),
  // Mistral (headers of api.mistral.ai, as clients record them).
  family('mistral', `(?:x-)?ratelimitbysize-${field}(?:-${period})?`, {
    unit: 'tokens',
  }),
  // Cerebras (inference-docs.cerebras.ai, “Rate limits”), SambaNova.
  family('cerebras', `x-ratelimit-${field}-(?<unit>requests|tokens)-(?:per-)?${period}`),
  // Kong (kong/plugins/rate-limiting/access.lua; windows of other lengths: rate-limiting-advanced, in seconds).
  family('kong', `x-ratelimit-${field}-(?:${period}|(?<seconds>\\d+))`),
  // Kong (AI Rate Limiting Advanced: X-AI-RateLimit-Limit-90-policy-1).
  family(
    'kong-ai',
    `x-ai-ratelimit-${field}-(?:${period}|(?<seconds>\\d+))(?:-(?<descriptor>.+))?`,
    { unit: 'tokens' },
  ),
  // Apache APISIX (apisix/plugins/ai-rate-limiting.lua; the window is in no header).
  family('apisix-ai', `x-ai-ratelimit-${field}(?:-(?<descriptor>.+))?`, {
    unit: 'tokens',
    window: null,
  }),
  // Spring Cloud Gateway (RedisRateLimiter.java: tokens of its bucket for each second).
  family('spring', 'x-ratelimit-replenish-rate', { window: second }),
  // LiteLLM (litellm/proxy/hooks/parallel_request_limiter_v3.py), and the interface, section 8.
  family('litellm', `x-ratelimit-(?<descriptor>.+)-${field}-(?<unit>[^-]+)`),
  // LiteLLM (litellm/proxy/common_utils/callback_utils.py: limits of a key and model).
  family(
    'litellm-key',
    '(?:x-litellm-key)-(?<field>limit|remaining)-(?<unit>requests|tokens)(?:-(?<descriptor>.+))?',
  ),
  // LiteLLM (litellm/proxy/common_request_processing.py, get_custom_headers).
  family('litellm-key', 'x-litellm-key-(?<short>[rt]pm)-(?<field>limit)'),
  // Anthropic (platform.claude.com, “Rate limits”).
  family(
    'anthropic',
    `anthropic-(?:ratelimit|priority)-(?<unit>requests|tokens|input-tokens|output-tokens)-${field}`,
  ),
  // Together (docs.together.ai, “Rate limits”: X-TokenLimit-Limit and X-RateLimit-Limit of a second), plug-ins of Kong.
  family('tokenlimit', `(?:x-)?tokenlimit-${field}(?:-${period})?`, {
    unit: 'tokens',
    window: null,
  }),
  // Cohere, trial keys.
  family('cohere', 'x-trial-endpoint-call-(?<field>limit|remaining)', {
    window: null,
  }),
  // Cohere, trial keys.
  family('cohere', 'x-endpoint-(?<period>monthly)-call-limit'),
  // Helicone (rate limits; Helicone-RateLimit-Policy: 10000;w=3600 says the window).
  family('helicone', `helicone-ratelimit-${field}`, { window: null }),
  // draft-ietf-httpapi-ratelimit-headers-03 to -06 (RateLimit-Limit: 60, 60;w=60), Kong, express-rate-limit.
  family('ietf-draft-7', `ratelimit-${field}`, { window: null, hasLists: true }),
  // GitHub, Twitter, OpenRouter (resets in ms since 1970), Envoy (source/extensions/filters/http/ratelimit/ratelimit_headers.cc: 10, 10;w=1;name="…"), bucket4j, Tyk, APISIX.
  family('legacy', `x-rate-?limit-${field}`, { window: null, hasLists: true }),
];

/** The meaning of a header's name. `window` is in ms; `null` if neither the name nor its family defines it. */
export interface HeaderMeaning {
  readonly family: string;
  readonly field: 'limit' | 'remaining' | 'reset';
  readonly unit: string;
  readonly descriptor: string | null;
  readonly window: number | null;
  readonly hasLists: boolean;
}

const parseName = (name: string): HeaderMeaning | null => {
  const found = headerFamilies.find(({ pattern }) => pattern.test(name));
  if (found === undefined) return null;
  const groups = found.pattern.exec(name)!.groups ?? {};
  const { short = '', unit = shortUnits[short[0] ?? ''] ?? found.unit } = groups;
  const { seconds, period: word = seconds, descriptor = word ?? null } = groups;
  const said = word === undefined ? shortWindows[short[2] ?? ''] : windowOfWord(word);
  return {
    family: found.name,
    field: (groups['field'] ?? 'limit') as HeaderMeaning['field'],
    unit: unit === 'req' ? 'requests' : unit,
    descriptor,
    window: said ?? found.window,
    hasLists: found.hasLists,
  };
};

/** The names of limit headers contain one of these. */
const limitWords = /rate-?limit|tokenlimit|litellm-key|anthropic-priority|-call-/;

/**
 * The maximum number of names that are remembered. A server that invents names can fill it; further names are parsed
 * each time.
 */
const maxRemembered = 500;
const remembered = new Map<string, HeaderMeaning | null>();

/** Returns the meaning of a limit header's name in lower case; `null` for any other header. */
export const meaningOf = (name: string): HeaderMeaning | null => {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const meaning = limitWords.test(name) ? parseName(name) : null;
  if (remembered.size < maxRemembered) remembered.set(name, meaning);
  return meaning;
};
