import { jsonIn, objectOf } from './json-text.ts';
import { readRetryAfter } from '../limits/retry-after.ts';
import { waitInOtherLanguage } from './waits-in-languages.ts';
import { durationIn, durationPattern, millisecondsUntilReset } from '../limits/wait-text.ts';

/** This file reads the waits that servers name in the bodies of refusals. */

/**
 * Returns the wait in ms; `null` if the body names no wait. `now` is the time on the server's clock in ms since 1970;
 * NaN if the time is unknown.
 */
type WaitReader = (body: string, now: number) => number | null;

/** Matches a duration. A word may replace the number 1: `a minute`, `one hour`. */
const duration = `(?<wait>${durationPattern}|(?:an?|one) (?:second|minute|hour|day)(?![a-z]))`;
/**
 * Matches words before a duration. Weir waits for the whole duration even if a word such as `up to` allows a shorter
 * wait.
 */
const qualifier =
  '(?:about |approximately |around |at least |at most |up to |no more than |another |the next |next |~ ?)?';
/**
 * Excludes sentences about how long something takes or took. A duration in such a sentence is a wait only if the
 * sentence asks the client to wait.
 */
const timeTakenGuard =
  '(?<!\\b(?:takes?|taken|taking|took|lasts?|lasted) (?:(?:usually|only|about|around|up to|at most|as long as|no more than|less than|approximately) ){0,2})';

/** Returns a reader that uses the group `wait` of the first match of a pattern. */
const sentence = (pattern: string): WaitReader => {
  const expression = new RegExp(pattern, 'i');
  return (body) => {
    const text = expression.exec(body)?.groups?.['wait'];
    const wait = durationIn(text?.replace(/^(?:an?|one) /i, '1 ') ?? '');
    return Number.isFinite(wait) ? wait : null;
  };
};

/** At most this many objects of a body are searched for a wait. */
const maxObjects = 200;
const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const found: Record<string, unknown>[] = [];
  const left: unknown[] = [value];
  for (let i = 0; i < left.length && found.length < maxObjects; i += 1) {
    const each = left[i];
    if (typeof each !== 'object' || each === null) continue;
    if (!Array.isArray(each)) found.push(each as Record<string, unknown>);
    for (const inner of Object.values(each).slice(0, maxObjects)) left.push(inner);
  }
  return found;
};

/**
 * A field with one of these names contains a wait. Capitals, punctuation and a unit at the end of a field's name are
 * ignored. A wait without a unit is in seconds. Sources: Hugging Face (`estimated_time`), OpenRouter
 * (`retry_after_seconds`), Google (`retryDelay`), OpenAI for an exhausted plan (openai/codex, usage_limit_reached:
 * `resets_in_seconds`).
 */
const waitFields: ReadonlySet<string> = new Set(
  'estimatedtime retryafter retryin nextretryin nextretryafter retrydelay resetin resetsin resetafter waittime waitfor estimatedwait suggestedwait tryagainin availablein nextavailablein timeuntilreset timeuntilretry timetoreset timetoretry timetowait'.split(
    ' ',
  ),
);
/** A field named by one of these words contains a wait only if a unit follows, as in `wait_seconds`. */
const unitFields: ReadonlySet<string> = new Set('wait cooldown backoff delay'.split(' '));

const [second, minute] = [1000, 60_000];
/** The units at the end of field names, with the length of each unit in ms. */
const nameUnits: Readonly<Record<string, number>> = {
  ms: 1,
  millis: 1,
  milliseconds: 1,
  s: second,
  sec: second,
  secs: second,
  seconds: second,
  min: minute,
  mins: minute,
  minutes: minute,
};
const nameUnit = /^(?<base>\w+?)(?<unit>ms|millis|milliseconds|s|secs?|seconds|mins?|minutes)$/;
/** Matches a field name that begins with the unit, such as `secondsUntilReset`. */
const unitFirst =
  /^(?<unit>ms|millis|milliseconds|secs?|seconds|mins?|minutes)(?:until|till?|to|before)(?:wait|(?:next)?(?:reset|retry|request|available))$/;

/**
 * Names of fields that count how often a client waited. Without this list, the final `s` of `waits` would be read as
 * the unit seconds, as in `wait_s`.
 */
const plurals: ReadonlySet<string> = new Set('waits cooldowns backoffs'.split(' '));

/**
 * For a field that contains a wait, returns the length of the wait's unit in ms. Returns undefined for any other field.
 */
const unitOfField = (name: string): number | undefined => {
  if (waitFields.has(name)) return second;
  const first = unitFirst.exec(name)?.groups?.['unit'];
  if (first !== undefined) return nameUnits[first];
  const { base = '', unit = '' } = nameUnit.exec(name)?.groups ?? {};
  return waitFields.has(base) || unitFields.has(base) ? nameUnits[unit] : undefined;
};

/**
 * A field with one of these names contains the moment from which another attempt is allowed. Capitals and punctuation
 * in a field's name are ignored. For example, WSO2's API Manager sends `nextAccessTime`.
 */
const momentFields: ReadonlySet<string> = new Set(
  'reset resetat resetsat retryat nextretryat availableat nextavailableat nextrequestat resettime resettimestamp ratelimitreset xratelimitreset nextaccesstime waituntil blockeduntil lockeduntil limiteduntil throttleduntil banneduntil suspendeduntil cooldownuntil'.split(
    ' ',
  ),
);

/**
 * Reads the value of a field that contains a wait, in ms. The value is a number, a text, or a duration of Protocol
 * Buffers. Returns `null` for any other value.
 */
const waitOf = (value: unknown, unit: number): number | null => {
  const { seconds, nanos = 0 } = objectOf(value) ?? { seconds: value };
  if (seconds !== value) {
    const whole = waitOf(seconds, 1000);
    return whole === null ? null : whole + (typeof nanos === 'number' ? nanos / 1e6 : 0);
  }
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value * unit : null;
  if (typeof value !== 'string') return null;
  // A plain number has the given unit. A date gives no wait, because the current time is not passed on (NaN).
  const wait = /^\d+(\.\d+)?$/.test(value)
    ? Number(value) * unit
    : millisecondsUntilReset(value, Number.NaN);
  return wait !== null && Number.isFinite(wait) ? wait : null;
};

/**
 * Returns the wait, in ms, that a field contains; `null` if it contains no wait. `name` has no capitals or punctuation.
 */
const waitOfField = (name: string, value: unknown, now: number): number | null => {
  const unit = unitOfField(name);
  if (unit !== undefined) return waitOf(value, unit);
  const isMoment =
    momentFields.has(name) && (typeof value === 'string' || typeof value === 'number');
  const wait = isMoment ? millisecondsUntilReset(String(value), now) : null;
  return wait === null ? null : Math.max(0, wait);
};

const fieldWait: WaitReader = (body, now) => {
  if (
    !/"[\w-]*(?:retry|reset|wait|estimated|cooldown|backoff|delay|available|again|until|access)[\w-]*"\s*:/i.test(
      body,
    )
  )
    return null;
  for (const object of objectsIn(jsonIn(body))) {
    for (const [name, value] of Object.entries(object)) {
      if (plurals.has(name)) continue;
      const wait = waitOfField(name.toLowerCase().replaceAll(/[_-]/g, ''), value, now);
      if (wait !== null) return wait;
    }
  }
  return null;
};

/**
 * Reads the wait after the quoted header name `Retry-After` in a text: a number of seconds, or a number with a unit.
 */
const quotedHeader: WaitReader = (body) => {
  const [, unit, count, word = ''] =
    /\bretry[-_ ]after(?:[-_ ](ms))?["']?\s*[:=]\s*["']?(\d{1,9}(?:\.\d{1,9})?)( ?(?:ms|s|secs?|seconds?|m|mins?|minutes?))?(?![\w.:-])/i.exec(
      body,
    ) ?? [];
  if (count === undefined) return null;
  return word === '' ? Number(count) * (unit === undefined ? second : 1) : durationIn(count + word);
};

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * Returns a date whose month name is replaced by the number of the month. A date without a month name stays unchanged.
 */
const withMonthNumber = (date: string): string =>
  date.replace(/-([a-z]{3})-/i, (_, name: string) => {
    const month = monthNames.indexOf(name.toLowerCase()) + 1;
    return `-${String(month).padStart(2, '0')}-`;
  });

/**
 * Reads the moment from which another attempt is allowed, and returns the time until then in ms. WSO2's API Manager
 * writes `You can access API after 2026-Nov-28 08:45:00+0000 UTC`. A reset with an ISO date (`resets at 2026-…`) is not
 * read here, because known gateways write this date in another time zone (`retry-hint.ts`).
 */
const namedMoment: WaitReader = (body, now) => {
  const [, iso, other] =
    /\b(?:try again|retry|available again|available|access API|blocked|locked|limited|banned|suspended|wait) (?:at|after|on|until|till):? (\d{4}-(?:\d\d|[a-z]{3})-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)/i.exec(
      body,
    ) ??
    /\b(?:try again|retry|available again|available|blocked|locked|limited|banned|resets?)()? (?:at|after|on|until|till):? ([a-z]{3,9}, \d\d[ -][a-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT|1\d{9}(?:\d{3})?(?!\d))/i.exec(
      body,
    ) ??
    [];
  const text = other ?? (iso === undefined ? undefined : withMonthNumber(iso));
  const wait = text === undefined ? null : millisecondsUntilReset(text, now);
  return wait === null ? null : Math.max(0, wait);
};

/** Reads the wait in response headers that a router has copied into the body. */
const headersInBody: WaitReader = (body, now) => {
  if (!/"headers"/.test(body)) return null;
  for (const { headers } of objectsIn(jsonIn(body))) {
    if (typeof headers !== 'object' || headers === null) continue;
    const fields = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
        typeof value === 'string' || typeof value === 'number'
          ? [[name.toLowerCase(), String(value)]]
          : [],
      ),
    );
    const wait =
      readRetryAfter(fields, now)?.wait ??
      millisecondsUntilReset(fields['x-ratelimit-reset'] ?? '', now);
    if (wait !== null) return Math.max(0, wait);
  }
  return null;
};

/**
 * The forms in which bodies name a wait, each with its source. If several waits are found, the longest wait counts,
 * because a router's text can contain the text of the server behind it.
 */
const waitForms: readonly (readonly [form: string, source: string, read: WaitReader])[] = [
  [
    'RetryInfo',
    'google.rpc.RetryInfo (googleapis/googleapis, google/rpc/error_details.proto), also quoted within a string by proxies',
    sentence(String.raw`retryDelay\\*"\s*:\s*\\*"(?<wait>${durationPattern})`),
  ],
  [
    'try again in',
    'OpenAI and Groq ("Please try again in 14m5.856s"), Azure API Management ("Rate limit is exceeded. Try again in 59 seconds.", "Quota will be replenished in 00:30:02."), Django REST framework ("Request was throttled. Expected available in 20 seconds."), LiteLLM’s router ("No deployments available for selected model, Try again in 60 seconds"), Gemini ("Please retry in 15.002899939s"), Moonshot ("please try again after 1 seconds"), Traefik (vulcand/oxy: "max rate reached: retry-in 30s")',
    sentence(
      String.raw`${timeTakenGuard}\b(?:try again|retry|retrying|reset|resets|available again|available|replenished|come back|resumes?|unlocks?|lifts?|lifted)(?: your request)?(?: later)?[ -](?:in|after):? ${qualifier}${duration}(?! of\b)`,
    ),
  ],
  ['retry-after: 5', 'texts that quote the header', quotedHeader],
  ['try again at', 'gateways with a moment, in ISO 8601', namedMoment],
  [
    '20 秒后',
    'gateways in other languages ("请在 20 秒后重试", "20秒後に再試行", "Erwarte Verfügbarkeit in 20 Sekunden.")',
    waitInOtherLanguage,
  ],
  [
    'wait … before',
    'GitHub Models ("Rate limit of 10 per 60s exceeded for UserByModelByMinute. Please wait 42 seconds before retrying.")',
    sentence(
      String.raw`(?<!\b(?:max(?:imum)?|most|longest|average|typical|usual) )\bwait(?:ing)?(?: time| period)?(?: is|:)? (?:for )?${qualifier}${duration}(?! of\b)`,
    ),
  ],
  [
    'limited for',
    'gateways ("You have been rate limited for 2 seconds", "Next request allowed in 2 seconds", "Cooldown of 30 seconds")',
    // "Throttled for 10 minutes of audio" names an amount, and "the cooldown of 30 days applies to trials" names a
    // rule. Neither text names a wait.
    sentence(
      String.raw`\b(?:(?:limited|throttled|blocked|banned|suspended|locked out|slow down|pause|hold off|cool(?:ing)?[ -]?down|back(?:ing)?[ -]?off) for|(?:next|another|new) request (?:is |will be )?allowed in|cool ?-?down(?: period)?(?: of|:)?) ${duration}(?! (?:of|applies|for)\b)`,
    ),
  ],
  [
    'in … try again',
    'gateways that name the wait first ("In 2 seconds, try again.")',
    sentence(
      String.raw`${timeTakenGuard}\b(?:in|after) ${duration},? (?:please |you can |you may )?(?:try again|retry)`,
    ),
  ],
  [
    '… until reset',
    'gateways that count down ("2 seconds remaining until reset", "30 seconds until your limit resets")',
    sentence(
      String.raw`${timeTakenGuard}(?<!\w)${duration} (?:(?:remaining|left|to go) )?(?:until|before|till|to) (?:the |your |you )?(?:(?:can|may) )?(?:next|rate|limits?|quota|resets?|retry|retrying|trying again|try again)\b`,
    ),
  ],
  [
    '… from now',
    'gateways that name a moment by its distance ("Your limit resets 2 seconds from now")',
    sentence(
      String.raw`\b(?:resets?|retry|try again|available|allowed)(?: at| in)? ${duration} from now\b`,
    ),
  ],
  [
    '… later',
    'gateways that name the wait behind the advice ("Slow down and retry 7 seconds later")',
    sentence(String.raw`\b(?:try again|retry|come back) ${qualifier}${duration} later\b`),
  ],
  [
    'next retry: …',
    'gateways with a label ("Next retry: 7s", "Backoff: 7s", "Reset time: 7s")',
    sentence(
      String.raw`\b(?:next (?:retry|attempt)|retry delay|back-?off|reset time|time (?:un)?til (?:reset|retry))(?: is|:|=) ?${qualifier}${duration}(?! of\b)`,
    ),
  ],
  [
    'fields',
    'Cloudflare’s errors in JSON ("cloudflare_error": true, "retry_after": 60), OpenRouter (error.metadata.retry_after_seconds), Google’s clients in Python (retry_delay { seconds: 34 }), Hugging Face for a model that loads (503 with estimated_time: 20.5)',
    fieldWait,
  ],
  [
    'headers',
    'OpenRouter (error.metadata.headers: {"X-RateLimit-Limit":"20","X-RateLimit-Reset":"1765661760000"}, in ms since 1970)',
    headersInBody,
  ],
];

/** Returns the wait that the body of a refusal names, in ms; `null` if the body names no wait. */
export const readWaitInBody = (body: string, now: number): number | null => {
  const waits = waitForms.flatMap(([, , read]) => read(body, now) ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
};
