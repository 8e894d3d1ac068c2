/**
 * This file is the table of the limit headers of known gateways. Each row describes a family of headers: the owner of
 * the family, the parts of the header names (field, unit, window), and the documentation.
 */

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** The words for windows in the names of headers, with the length of each window in ms. A month counts as 30 days. */
const windowWords: readonly (readonly [pattern: string, window: number])[] = [
  ['second|secondly', second],
  ['minute|minutely', minute],
  ['hour|hourly', hour],
  ['day|daily', day],
  ['month|monthly', 30 * day],
  ['year|yearly', 365 * day],
];
const period = `(?<period>${windowWords.map(([words]) => words).join('|')})`;

/**
 * Returns the window, in ms, that a part of a header name means. The part is a word or a number of seconds. Returns
 * `null` for any other text.
 */
const windowOfWord = (word: string): number | null => {
  if (/^\d{1,8}$/.test(word)) return Number(word) * second;
  return windowWords.find(([words]) => words.split('|').includes(word))?.[1] ?? null;
};

/** The unit for each first letter of words such as `rpm` and `tpd`. */
const shortUnits: Readonly<Record<string, string>> = { r: 'requests', t: 'tokens' };
const shortWindows: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day };

interface HeaderFamily {
  readonly name: string;
  /**
   * Matches the whole name of a header. The groups of the pattern are: `field` (`limit`, `remaining` or `reset`; absent
   * means a limit), `unit`, `period` (a word or seconds), `descriptor` (the owner of the limit) and `short` (`rpm`).
   */
  readonly pattern: RegExp;
  /** The unit of the limit if the header's name contains no unit. */
  readonly unit: string;
  /**
   * The window in ms if the header's name contains no window; `null` if the window must be found in other headers or in
   * the reset time.
   */
  readonly window: number | null;
  /** Whether the value of a limit can be a list such as `60, 60;w=60`. */
  readonly hasLists: boolean;
}

const field = '(?<field>limit|remaining|reset)';

/**
 * Matches a field. The name of a reset may end in `Time`, as in GitLab's `RateLimit-ResetTime`, whose value is a date.
 */
const dated = `${field}(?:(?<=reset)-?time)?`;

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

/**
 * The families of headers, beginning with the most specific family. A header belongs to the first family whose pattern
 * matches its name. The comments name the sources.
 */
export const headerFamilies: readonly HeaderFamily[] = [
  // Sent by OpenAI (developers.openai.com, guide “Rate limits”), Azure OpenAI (whole seconds, −1 for unknown), Groq
  // (console.groq.com/docs/rate-limits: limits of requests are per day), Fireworks.
  family(
    'openai',
    `(?:x-)?ratelimit-${field}-(?<unit>requests|tokens|input-tokens|output-tokens|project-tokens|project-requests|images|tokens-prompt|tokens-generated|tokens-cache-adjusted-prompt)`,
  ),
  // Sent by gateways that users build themselves.
  family('short', `x-ratelimit-${field}-(?<short>[rt]p[smhd])`),
  // Sent by Mistral (headers of api.mistral.ai, as clients record them).
  family('mistral', `x-ratelimit-${field}-(?<unit>req|tokens)-${period}`),
  // Sent by Mistral (headers of api.mistral.ai, as clients record them).
  family('mistral', `(?:x-)?ratelimitbysize-${field}(?:-${period})?`, {
    unit: 'tokens',
  }),
  // Sent by Cerebras (inference-docs.cerebras.ai, “Rate limits”) and SambaNova.
  family('cerebras', `x-ratelimit-${field}-(?<unit>requests|tokens)-(?:per-)?${period}`),
  // Sent by Kong (kong/plugins/rate-limiting/access.lua; windows of other lengths: rate-limiting-advanced, in seconds).
  family('kong', `x-ratelimit-${field}-(?:${period}|(?<seconds>\\d+))`),
  // Sent by Kong (AI Rate Limiting Advanced: X-AI-RateLimit-Limit-90-policy-1).
  family(
    'kong-ai',
    `x-ai-ratelimit-${field}-(?:${period}|(?<seconds>\\d+))(?:-(?<descriptor>.+))?`,
    { unit: 'tokens' },
  ),
  // Sent by Apache APISIX (apisix/plugins/ai-rate-limiting.lua). These headers do not name the window.
  family('apisix-ai', `x-ai-ratelimit-${field}(?:-(?<descriptor>.+))?`, {
    unit: 'tokens',
    window: null,
  }),
  // Sent by Spring Cloud Gateway (RedisRateLimiter.java). The limit is the number of tokens that the limiter's bucket
  // receives per second.
  family('spring', 'x-ratelimit-replenish-rate', { window: second }),
  // Sent by gateways whose header names have the same order of parts as Anthropic's header names.
  family('unit-first', `x-rate-?limit-(?<unit>requests|tokens)-${field}`),
  // Sent by Azure API Management (azure-openai-token-limit, remaining-tokens-header-name, in the examples of its
  // documentation).
  family('azure-apim', '(?:x-)?(?<field>remaining)-(?<unit>requests|tokens)'),
  // Sent by LiteLLM (litellm/proxy/hooks/parallel_request_limiter_v3.py) and in the interface (section 8).
  family('litellm', `x-ratelimit-(?<descriptor>.+)-${field}-(?<unit>[^-]+)`),
  // Sent by LiteLLM (litellm/proxy/common_utils/callback_utils.py: limits of a key and model).
  family(
    'litellm-key',
    '(?:x-litellm-key)-(?<field>limit|remaining)-(?<unit>requests|tokens)(?:-(?<descriptor>.+))?',
  ),
  // Sent by LiteLLM (litellm/proxy/common_request_processing.py, get_custom_headers).
  family('litellm-key', 'x-litellm-key-(?<short>[rt]pm)-(?<field>limit)'),
  // Sent by Anthropic (platform.claude.com, “Rate limits”).
  family(
    'anthropic',
    `anthropic-(?:ratelimit|priority)-(?<unit>requests|tokens|input-tokens|output-tokens)-${field}`,
  ),
  // Sent by Together (docs.together.ai, “Rate limits”: X-TokenLimit-Limit and X-RateLimit-Limit, both per second) and
  // by plug-ins of Kong.
  family('tokenlimit', `(?:x-)?tokenlimit-${field}(?:-${period})?`, {
    unit: 'tokens',
    window: null,
  }),
  // Sent by Cohere for trial keys.
  family('cohere', 'x-trial-endpoint-call-(?<field>limit|remaining)', {
    window: null,
  }),
  // Sent by Cohere for trial keys.
  family('cohere', 'x-endpoint-(?<period>monthly)-call-limit'),
  // Sent by Helicone (rate limits). Another header names the window: `Helicone-RateLimit-Policy: 10000;w=3600`.
  family('helicone', `helicone-ratelimit-${field}`, { window: null }),
  // Defined in draft-ietf-httpapi-ratelimit-headers-03 to -06 (RateLimit-Limit: 60, 60;w=60); also sent by Kong and
  // express-rate-limit.
  family('ietf-draft-7', `ratelimit-${dated}`, { window: null, hasLists: true }),
  // Sent by GitHub, Twitter, OpenRouter (resets in ms since 1970), Envoy
  // (source/extensions/filters/http/ratelimit/ratelimit_headers.cc: 10, 10;w=1;name="…"), bucket4j, Tyk, APISIX.
  family('legacy', `(?:x-)?rate-?limit-${dated}`, { window: null, hasLists: true }),
  // Sent by gateways that put a word before the usual names. Here, the word is the unit.
  family('prefixed', `(?:x-)?(?<unit>requests|tokens)-rate-?limit-${field}`, {
    window: null,
    hasLists: true,
  }),
  // Sent by gateways that put a word before the usual names: Apache APISIX (limit-count, rules with header_prefix:
  // X-5-RateLimit-Limit), NVIDIA, Databricks.
  family('prefixed', `(?:x-)?(?<descriptor>\\w+)-rate-?limit-${field}`, {
    window: null,
    hasLists: true,
  }),
];

/** The names of all families of limit headers. `ietf` is the family of `RateLimit` and `RateLimit-Policy`. */
export const headerFamilyNames: readonly string[] = [
  ...new Set([...headerFamilies.map(({ name }) => name), 'ietf']),
];

/** The meaning of a header's name. `window` is in ms; `null` if neither the name nor its family defines the window. */
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

/** Matches a part that the name of every limit header contains. */
const limitWords = /rate-?limit|tokenlimit|litellm-key|anthropic-priority|-call-|remaining-/;

/**
 * The maximum number of header names whose meanings are cached. If a server sends more names, the further names are
 * parsed each time.
 */
const maxRemembered = 500;
const remembered = new Map<string, HeaderMeaning | null>();

/**
 * Returns the meaning of a limit header's name. The name must be in lower case. Returns `null` for any other header.
 */
export const meaningOf = (name: string): HeaderMeaning | null => {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const meaning = limitWords.test(name) ? parseName(name) : null;
  if (remembered.size < maxRemembered) remembered.set(name, meaning);
  return meaning;
};
