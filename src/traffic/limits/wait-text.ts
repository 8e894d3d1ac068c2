/**
 * This file reads when a limit resets, in the notations of gateways: a Go duration (OpenAI, Groq: `1m26.4s`, `6ms`),
 * words (Azure API Management: `59 seconds`, `2.12 days`), a clock (the same: `00:30:02`), seconds (drafts of the IETF,
 * Kong, APISIX; with fractions Cerebras), a Unix time in seconds (GitHub) or milliseconds (OpenRouter), an ISO 8601 date
 * (Anthropic) or one of the three HTTP dates (RFC 9110).
 */

/** The units of durations, in ms, with the spellings of gateways. */
const unitSpellings: readonly (readonly [milliseconds: number, spellings: string])[] = [
  [1e-6, 'ns'],
  [1e-3, 'us|µs|μs'],
  [1, 'ms|msecs?|millis|milliseconds?'],
  [1000, 's|secs?|seconds?'],
  [60_000, 'm|mins?|minutes?'],
  [3_600_000, 'h|hrs?|hours?'],
  [86_400_000, 'd|days?'],
];
const spellings = unitSpellings.map(([, words]) => words).join('|');

const unitPatterns = unitSpellings.map(
  ([length, words]) => [length, new RegExp(`^(?:${words})$`, 'i')] as const,
);

const unitOf = (spelling: string): number =>
  unitPatterns.find(([, words]) => words.test(spelling))![0];

const number = String.raw`(?:\d{1,400}(?:\.\d*)?|\.\d+)`;
const part = String.raw`(${number})[ -]?(${spellings})(?![a-zµμ])`;

/** Matches a duration as a clock shows it, in hours, minutes and seconds. */
const clock = String.raw`\d{1,6}:[0-5]\d:[0-5]\d(?:\.\d+)?(?![:\d])`;

/** The pattern of a duration in a text, without a capturing group. */
export const durationPattern = String.raw`(?:${clock}|${number}[ -]?(?:${spellings})(?![a-zµμ])(?:(?:, | and |, and | )?${number}[ -]?(?:${spellings})(?![a-zµμ]))*)`;

// The parts of a Go duration follow each other without a space, so a digit may follow a unit.
const durationParts = new RegExp(part, 'gi');
const wholeDuration = new RegExp(`^${durationPattern}$`, 'i');

/** Returns the length of a duration with units in ms; NaN for any other text. */
export const durationIn = (text: string): number => {
  if (!wholeDuration.test(text)) return Number.NaN;
  if (text.includes(':')) {
    const [hours, minutes, seconds] = text.split(':').map(Number);
    return ((hours! * 60 + minutes!) * 60 + seconds!) * 1000;
  }
  const parts = [...text.matchAll(durationParts)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitOf(unit!), 0);
};

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const day = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?';
const clockTime = String.raw`(?<time>\d\d:\d\d:\d\d)`;

/** The three forms of an HTTP date (RFC 9110 section 5.6.7): RFC 1123's, RFC 850's with two digits of a year, asctime's. */
const httpDateForms = [
  String.raw`${day}, *(?<day>\d{1,2})[ -](?<month>${months})[ -](?<year>\d{4}|\d\d) +${clockTime} *(?:GMT|UTC|\+0000)`,
  String.raw`${day} +(?<month>${months}) +(?<day>\d{1,2}) +${clockTime} +(?<year>\d{4})`,
];
const httpDates = httpDateForms.map((form) => new RegExp(form, 'i'));
const anyHttpDate = new RegExp(
  httpDateForms.map((form) => form.replaceAll(/\?<\w+>/g, '?:')).join('|'),
  'gi',
);

/** The maximum number of years that a two-digit year can be ahead (RFC 9110 section 5.6.7). */
const maxYearsAhead = 50;

/**
 * Returns the moment of an HTTP date in ms since 1970; NaN for any other text. `now` decides the century of a two-digit
 * year.
 */
const httpDateIn = (text: string, now: number): number => {
  const groups = httpDates.map((form) => form.exec(text)?.groups).find((each) => each);
  if (groups === undefined) return Number.NaN;
  const { day: date, month, year, time } = groups;
  const written = Number(year);
  const thisYear = new Date(Number.isFinite(now) ? now : Date.UTC(2026)).getUTCFullYear();
  const inCentury = thisYear - (thisYear % 100) + written;
  const short = inCentury > thisYear + maxYearsAhead ? inCentury - 100 : inCentury;
  const fullYear = year!.length > 2 ? written : short;
  const place = months.split('|').indexOf(month!.toLowerCase()) + 1;
  const [monthText, dayText] = [place, Number(date)].map((each) => String(each).padStart(2, '0'));
  return Date.parse(`${String(fullYear).padStart(4, '0')}-${monthText}-${dayText}T${time}Z`);
};

/** The smallest number of seconds that counts as a time instead of a duration: about thirty years. */
const firstEpochSecond = 1e9;
/** The smallest number that counts as a time in milliseconds instead of seconds. */
const firstEpochMillisecond = 1e12;
/** The smallest number that counts as a time in microseconds instead of milliseconds. */
const firstEpochMicrosecond = 1e15;
/** The smallest number that is not a time in any unit. */
const firstImpossible = 1e18;

/**
 * Returns the milliseconds that a number of seconds or a Unix time is away. A number below 10⁹ means seconds from
 * now. Below 10¹² it is a Unix time in seconds, below 10¹⁵ in milliseconds, below 10¹⁸ in microseconds. It is never a
 * duration in ms.
 */
const untilNumber = (value: number, now: number): number => {
  if (value >= firstImpossible) return value * 1000;
  if (value >= firstEpochMicrosecond) return value / 1000 - now;
  if (value >= firstEpochMillisecond) return value - now;
  return value >= firstEpochSecond ? value * 1000 - now : value * 1000;
};

const isoDate =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/i;

/** Reads an ISO 8601 date, whose time is UTC unless it names a zone. */
const isoMoment = (text: string): number => {
  if (!isoDate.test(text)) return Number.NaN;
  const zoned = text.replace(' ', 'T').replace(/\s*(?:UTC|GMT)$/i, 'Z');
  return Date.parse(
    /T/i.test(zoned) && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(zoned) ? `${zoned}Z` : zoned,
  );
};

const readReset = (text: string, now: number): number => {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return untilNumber(Number(text), now);
  const length = durationIn(text);
  if (!Number.isNaN(length)) return length;
  const moment = isoMoment(text);
  return (Number.isNaN(moment) ? httpDateIn(text, now) : moment) - now;
};

/**
 * Returns the milliseconds from `now` (since 1970, by the clock of the server that wrote the text) until the reset.
 * The result is negative for a reset in the past, `null` for an unknown notation. A header that came several times is a
 * list (`2, 2`), of which the longest wait counts.
 */
export const millisecondsUntilReset = (text: string, now: number): number | null => {
  const trimmed = text.trim();
  const whole = readReset(trimmed, now);
  // A text of hundreds of digits is in a known notation and is still not a finite number.
  if (Number.isFinite(whole) && !trimmed.includes(',')) return whole;
  if (!trimmed.includes(',')) return null;
  // Dates contain commas of their own.
  const dates = trimmed.match(anyHttpDate) ?? [];
  const others = trimmed.replaceAll(anyHttpDate, '').split(',');
  const members = [...dates, ...others.map((each) => each.trim()).filter((each) => each !== '')];
  const waits = members.map((member) => readReset(member, now));
  return waits.length > 0 && waits.every((wait) => Number.isFinite(wait))
    ? Math.max(...waits)
    : null;
};

/** Returns the time of a response's `Date` header in ms since 1970 (whole seconds); `null` without a readable one. */
export const dateOf = (headers: Readonly<Record<string, string>>): number | null => {
  const text = headers['date'];
  if (text === undefined) return null;
  const moment = httpDateIn(text, Number.NaN);
  const parsed = Number.isNaN(moment) ? isoMoment(text.trim()) : moment;
  return Number.isNaN(parsed) ? null : parsed;
};
