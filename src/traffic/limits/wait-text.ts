/**
 * This file reads when a limit resets, in the notations of gateways: a Go duration (OpenAI, Groq: `1m26.4s`, `6ms`),
 * words (Azure API Management: `59 seconds`, `2.12 days`), hours, minutes and seconds (also Azure: `00:30:02`), seconds
 * (drafts of the IETF, Kong, APISIX; with fractions Cerebras), a Unix time in seconds (GitHub) or milliseconds
 * (OpenRouter), an ISO 8601 date (Anthropic) or one of the three HTTP dates (RFC 9110).
 */

/** How gateways write units of time. Each row has the length of a unit in ms and a pattern of its spellings. */
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

/** Matches a duration written as hours, minutes and seconds with colons. */
const clock = String.raw`\d{1,6}:[0-5]\d:[0-5]\d(?:\.\d+)?(?![:\d])`;

/** The pattern of a duration in a text. The pattern has no capturing group. */
export const durationPattern = String.raw`(?:${clock}|${number}[ -]?(?:${spellings})(?![a-zµμ])(?:(?:, | and |, and | )?${number}[ -]?(?:${spellings})(?![a-zµμ]))*)`;

// The parts of a Go duration follow each other without spaces, so a digit may follow a unit.
const durationParts = new RegExp(part, 'gi');
const wholeDuration = new RegExp(`^${durationPattern}$`, 'i');

/**
 * Returns the length, in ms, of a duration that is written with units or as hours, minutes and seconds with colons.
 * Returns NaN for any other text.
 */
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

/**
 * The three forms of an HTTP date (RFC 9110 section 5.6.7). The first pattern matches the forms of RFC 1123 and of RFC
 * 850 (with a two-digit year), and the second pattern matches the form of the C function asctime.
 */
const httpDateForms = [
  String.raw`${day}, *(?<day>\d{1,2})[ -](?<month>${months})[ -](?<year>\d{4}|\d\d) +${clockTime} *(?:GMT|UTC|\+0000)`,
  String.raw`${day} +(?<month>${months}) +(?<day>\d{1,2}) +${clockTime} +(?<year>\d{4})`,
];
const httpDates = httpDateForms.map((form) => new RegExp(form, 'i'));
const anyHttpDate = new RegExp(
  httpDateForms.map((form) => form.replaceAll(/\?<\w+>/g, '?:')).join('|'),
  'gi',
);

/** A two-digit year that would be more than this many years ahead is in the century before (RFC 9110 section 5.6.7). */
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

/**
 * The smallest number that counts as a Unix time in seconds. Smaller numbers are durations. As a duration in seconds,
 * this number would be about thirty years.
 */
const firstEpochSecond = 1e9;
/** The smallest number that counts as a Unix time in milliseconds. A smaller Unix time is in seconds. */
const firstEpochMillisecond = 1e12;
/** The smallest number that counts as a Unix time in microseconds. A smaller Unix time is in milliseconds. */
const firstEpochMicrosecond = 1e15;
/** The smallest number that is not a time in any of these units. */
const firstImpossible = 1e18;

/**
 * Returns the milliseconds until a reset that is given as a number. A number below 10⁹ is a duration in seconds. A
 * larger number is a Unix time: below 10¹² in seconds, below 10¹⁵ in milliseconds, below 10¹⁸ in microseconds. No
 * number is a duration in ms.
 */
const untilNumber = (value: number, now: number): number => {
  if (value >= firstImpossible) return value * 1000;
  if (value >= firstEpochMicrosecond) return value / 1000 - now;
  if (value >= firstEpochMillisecond) return value - now;
  return value >= firstEpochSecond ? value * 1000 - now : value * 1000;
};

const isoDate =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/i;

/** Matches a date as JavaScript prints it: `Tue Feb 16 2021 09:02:42 GMT+0100 (CET)` (lemlist, X-RateLimit-Reset). */
const printedDate = /^[a-z]{3} [a-z]{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}(?= \([^()]*\)$|$)/i;

/**
 * Reads a date in the form of ISO 8601 or of JavaScript, in ms since 1970; returns NaN for any other text. A date
 * without a time zone is in UTC.
 */
const isoMoment = (text: string): number => {
  const printed = printedDate.exec(text)?.[0];
  if (printed !== undefined) return Date.parse(printed);
  if (!isoDate.test(text)) return Number.NaN;
  const zoned = text.replace(' ', 'T').replace(/\s*(?:UTC|GMT)$/i, 'Z');
  return Date.parse(
    /T/i.test(zoned) && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(zoned) ? `${zoned}Z` : zoned,
  );
};

/** Matches a duration of ISO 8601, as Java prints durations: `PT2S`, `PT1M30.5S`, `P1DT2H`. */
const isoDuration =
  /^P(?=\d|T\d)(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/i;

const isoDurationIn = (text: string): number => {
  const parts = isoDuration.exec(text)?.slice(1);
  if (parts === undefined) return Number.NaN;
  const [days, hours, minutes, seconds] = parts.map((count) => Number(count ?? 0));
  return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000;
};

const readReset = (text: string, now: number): number => {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return untilNumber(Number(text), now);
  const length = durationIn(text);
  if (!Number.isNaN(length)) return length;
  const isoLength = isoDurationIn(text);
  if (!Number.isNaN(isoLength)) return isoLength;
  const moment = isoMoment(text);
  return (Number.isNaN(moment) ? httpDateIn(text, now) : moment) - now;
};

/**
 * Returns the milliseconds from `now` until the reset. `now` is in ms since 1970, by the clock of the server that wrote
 * the text. The result is negative for a reset in the past, and `null` for an unknown notation. If a header was sent
 * several times, its value is a list (`2, 2`), and the longest wait is returned.
 */
export const millisecondsUntilReset = (text: string, now: number): number | null => {
  const trimmed = text.trim();
  const whole = readReset(trimmed, now);
  // A number of several hundred digits is read as infinite, so it is treated like an unknown notation.
  if (Number.isFinite(whole) && !trimmed.includes(',')) return whole;
  if (!trimmed.includes(',')) return null;
  // An HTTP date contains a comma, so a list of HTTP dates cannot be split at commas.
  const dates = trimmed.match(anyHttpDate) ?? [];
  const others = trimmed.replaceAll(anyHttpDate, '').split(',');
  const members = [...dates, ...others.map((each) => each.trim()).filter((each) => each !== '')];
  const waits = members.map((member) => readReset(member, now));
  return waits.length > 0 && waits.every((wait) => Number.isFinite(wait))
    ? Math.max(...waits)
    : null;
};

/**
 * Returns the time of a response's `Date` header in ms since 1970 (whole seconds); `null` if the header is absent or
 * cannot be read.
 */
export const dateOf = (headers: Readonly<Record<string, string>>): number | null => {
  const text = headers['date'];
  if (text === undefined) return null;
  const moment = httpDateIn(text, Number.NaN);
  const parsed = Number.isNaN(moment) ? isoMoment(text.trim()) : moment;
  return Number.isNaN(parsed) ? null : parsed;
};
