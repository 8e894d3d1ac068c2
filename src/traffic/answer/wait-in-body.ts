import { jsonIn, objectOf } from './json-text.ts';
import { readRetryAfter } from '../limits/retry-after.ts';
import { durationIn, durationPattern, millisecondsUntilReset } from '../limits/wait-text.ts';

/** This file reads the waits that servers name in the bodies of refusals. */

/**
 * Returns the wait in ms, or `null` for none. `now` is the time on the server's clock in ms since 1970, NaN if it is
 * unknown.
 */
type WaitReader = (body: string, now: number) => number | null;

const duration = `(?<wait>${durationPattern})`;

/** Returns a reader that uses the group `wait` of the first match of a pattern. */
const sentence = (pattern: string): WaitReader => {
  const expression = new RegExp(pattern, 'i');
  return (body) => {
    const text = expression.exec(body)?.groups?.['wait'];
    const wait = text === undefined ? Number.NaN : durationIn(text);
    return Number.isFinite(wait) ? wait : null;
  };
};

/** The maximum number of objects in a body in which a wait is searched. */
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
 * The names of fields that contain a wait, without capitals and punctuation, each with the length of its unit in ms.
 */
const waitFields: ReadonlyMap<string, number> = new Map([
  ['estimatedtime', 1000],
  ['retryafterms', 1],
  ['retryaftermilliseconds', 1],
  ['retryafterseconds', 1000],
  ['retryafter', 1000],
  ['retryinseconds', 1000],
  ['retryin', 1000],
  ['retrydelay', 1000],
  ['resetinseconds', 1000],
  // Sent by OpenAI for a plan that is used up (openai/codex, usage_limit_reached).
  ['resetsinseconds', 1000],
  ['resetsin', 1000],
  ['resetin', 1000],
  ['resetafter', 1000],
  ['waitseconds', 1000],
  ['waittime', 1000],
  ['cooldownseconds', 1000],
  ['backoffseconds', 1000],
]);

/** The names of fields that contain the moment of another attempt, without capitals and punctuation. */
const momentFields: ReadonlySet<string> = new Set(
  'resetat resetsat retryat availableat'.split(' '),
);

/**
 * Reads the value of a field in `waitFields`: a number, a text, or a duration of Protocol Buffers; `null` for any other
 * value.
 */
const waitOf = (value: unknown, unit: number): number | null => {
  const { seconds, nanos = 0 } = objectOf(value) ?? { seconds: value };
  if (seconds !== value) {
    const whole = waitOf(seconds, 1000);
    return whole === null ? null : whole + (typeof nanos === 'number' ? nanos / 1e6 : 0);
  }
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value * unit : null;
  if (typeof value !== 'string') return null;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * unit : durationIn(value);
  return Number.isFinite(wait) ? wait : null;
};

/** Returns the wait in a field, from its name without capitals and punctuation; `null` for a field that names none. */
const waitOfField = (name: string, value: unknown, now: number): number | null => {
  const unit = waitFields.get(name);
  if (unit !== undefined) return waitOf(value, unit);
  const isMoment =
    momentFields.has(name) && (typeof value === 'string' || typeof value === 'number');
  const wait = isMoment ? millisecondsUntilReset(String(value), now) : null;
  return wait === null ? null : Math.max(0, wait);
};

const fieldWait: WaitReader = (body, now) => {
  if (
    !/(?:retry|resets?|wait|estimated|cooldown|backoff|available)[_-]?(?:after|in|at|delay|seconds|time)/i.test(
      body,
    )
  )
    return null;
  for (const object of objectsIn(jsonIn(body))) {
    for (const [name, value] of Object.entries(object)) {
      const wait = waitOfField(name.toLowerCase().replaceAll(/[_-]/g, ''), value, now);
      if (wait !== null) return wait;
    }
  }
  return null;
};

/** Reads a number of seconds after the name of the header `Retry-After`, which some texts quote. */
const quotedHeader: WaitReader = (body) => {
  const found = /\bretry[-_ ]after["']?\s*[:=]\s*["']?(\d{1,9}(?:\.\d{1,9})?)(?![\w.:-])/i.exec(
    body,
  );
  return found === null ? null : Number(found[1]) * 1000;
};

/** Reads the moment from which another attempt is allowed. */
const namedMoment: WaitReader = (body, now) => {
  const found =
    /\b(?:try again|retry|available again|available) (?:at|after|on):? (\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)/i.exec(
      body,
    );
  const wait = found === null ? null : millisecondsUntilReset(found[1]!, now);
  return wait === null ? null : Math.max(0, wait);
};

const eastAsianUnits: Readonly<Record<string, number>> = {
  毫秒: 1,
  秒: 1000,
  分: 60_000,
  小: 3_600_000,
  時: 3_600_000,
};
const eastAsianAmount = String.raw`(\d{1,9}(?:\.\d{1,9})?) ?(毫秒|秒|分|小|時)[钟鐘时時間]{0,2}`;

/** Matches `2 秒后`, `2秒後` (also Japanese) and `等待 2 秒`. */
const eastAsianWait = new RegExp(
  `${eastAsianAmount} ?[之以]?[后後]|(?:等待|等候) ?${eastAsianAmount}`,
);

const eastAsianSentence: WaitReader = (body) => {
  const [, count, unit, other, otherUnit] = eastAsianWait.exec(body) ?? [];
  const length = eastAsianUnits[unit ?? otherUnit ?? ''];
  return length === undefined ? null : Number(count ?? other) * length;
};

/** Reads headers that a router has put into the body. */
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
 * The forms in which bodies name a wait, each with its source. If several waits are found, the longest is used, since a
 * router's text can contain the text of the server behind it.
 */
const waitForms: readonly (readonly [form: string, source: string, read: WaitReader])[] = [
  [
    'RetryInfo',
    'google.rpc.RetryInfo (googleapis/googleapis, google/rpc/error_details.proto), also quoted within a string by proxies',
    sentence(String.raw`retryDelay\\*"\s*:\s*\\*"(?<wait>${durationPattern})`),
  ],
  [
    'try again in',
    'OpenAI and Groq ("Please try again in 14m5.856s"), Azure API Management ("Rate limit is exceeded. Try again in 59 seconds.", "Quota will be replenished in 00:30:02."), Django REST framework ("Request was throttled. Expected available in 20 seconds."), LiteLLM’s router ("No deployments available for selected model, Try again in 60 seconds"), Gemini ("Please retry in 15.002899939s"), Moonshot ("please try again after 1 seconds")',
    sentence(
      String.raw`\b(?:try again|retry|retrying|reset|resets|available again|available|replenished)(?: your request)?(?: later)? (?:in|after):? (?:about |approximately |around |at least |~ ?)?${duration}`,
    ),
  ],
  ['retry-after: 5', 'texts that quote the header', quotedHeader],
  ['try again at', 'gateways with a moment, in ISO 8601', namedMoment],
  [
    '20 秒后',
    'Chinese and Japanese gateways ("请在 20 秒后重试", "请等待 20 秒", "20秒後に再試行")',
    eastAsianSentence,
  ],
  [
    'wait … before',
    'GitHub Models ("Rate limit of 10 per 60s exceeded for UserByModelByMinute. Please wait 42 seconds before retrying.")',
    sentence(String.raw`\bwait (?:for |at least )?${duration}`),
  ],
  [
    'limited for',
    'gateways ("You have been rate limited for 2 seconds", "Next request allowed in 2 seconds", "Cooldown of 30 seconds")',
    // "Throttled for 10 minutes of audio" and "the cooldown of 30 days applies to trials" name amounts and rules.
    sentence(
      String.raw`\b(?:(?:limited|throttled|blocked|banned|suspended|locked out|slow down|pause|cool ?-?down) for|(?:next|another|new) request (?:is |will be )?allowed in|cool ?-?down(?: period)?(?: of|:)?) ${duration}(?! (?:of|applies|for)\b)`,
    ),
  ],
  [
    'in … try again',
    'gateways that name the wait first ("In 2 seconds, try again.")',
    sentence(
      String.raw`\b(?:in|after) ${duration},? (?:please |you can |you may )?(?:try again|retry)`,
    ),
  ],
  [
    '… until reset',
    'gateways that count down ("2 seconds remaining until reset", "30 seconds until your limit resets")',
    sentence(
      String.raw`(?<!\w)${duration} (?:(?:remaining|left|to go) )?(?:until|before|till|to) (?:the |your )?(?:next|rate|limits?|quota|resets?|retry|retrying|trying again)\b`,
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

/** Returns the wait that the body of a refusal names, in ms; `null` if it names none. */
export const readWaitInBody = (body: string, now: number): number | null => {
  const waits = waitForms.flatMap(([, , read]) => read(body, now) ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
};
