import { limitHeaders, readLimitHeaders } from '../../../contract/limit-headers.ts';
import { meaningOf } from '../../../traffic/limits/header-families.ts';
import { readDeclaredLimits } from '../../../traffic/limits/declared-limits.ts';
import {
  type HeaderFields,
  readReportedLimits,
} from '../../../traffic/limits/read-limit-headers.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  checksOf,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';

/** This file checks the limit headers (interface, section 8). The verb `weir limits` examines the limits themselves. */

const { checkOf, checkAcross } = checksOf('limits');

const names: readonly string[] = Object.values(limitHeaders);

/** Returns the limits per minute and the remaining amounts, from the headers of any family. */
const quotaIn = (headers: HeaderFields) => readDeclaredLimits(headers)?.quota ?? null;

type LimitName = 'limitRequests' | 'limitTokens';

const shownHeaders = 4;
/** The header family of the interface itself. */
const ownDescriptor = meaningOf(limitHeaders.limitRequests)!.descriptor;

/** Finds limit headers of families other than the interface's. Returns the families' names and some headers. */
const othersIn = (answer: CheckAnswer) => {
  const { headers } = answer.received;
  const { reported } = readReportedLimits(headers, Number.NaN);
  const others = reported.filter(({ descriptor }) => descriptor !== ownDescriptor);
  const families = [...new Set(others.map(({ profile }) => profile))];
  const shown = Object.entries(headers)
    .filter(([name]) => !names.includes(name))
    .filter(([name]) => meaningOf(name) !== null || name.startsWith('ratelimit'))
    .slice(0, shownHeaders)
    .map(([name, value]) => answer.quote(`${name}: ${value}`, 60));
  return { families, text: `of ${families.join(', ')}: ${shown.join(', ')}` };
};

/**
 * Says why the limit per minute of a unit is unknown: the header of the limit is no number, the headers name other
 * limits, or there are no such headers.
 */
const whyUnknown = (
  { headers }: Pick<CheckAnswer['received'], 'headers'>,
  unit: string,
  limitName: LimitName,
): string => {
  const name = limitHeaders[limitName];
  if (headers[name] !== undefined) return `${name} is no whole number`;
  const { longer = [] } = readDeclaredLimits(headers) ?? {};
  const alike = longer.filter((words) => words.includes(unit));
  // If the interface's own header of the remaining amount is present, a limit from another family's headers does not
  // belong to this header. The limit is then unknown.
  const ownRest = limitName === 'limitTokens' ? 'remainingTokens' : 'remainingRequests';
  if (headers[limitHeaders[ownRest]] !== undefined)
    return `no header names the limit of ${unit} a minute that belongs to ${limitHeaders[ownRest]}`;
  return alike.length === 0
    ? `no header names ${unit}`
    : `the headers name ${alike.join(' and ')}, and no ${unit} a minute`;
};

/** Says why the remaining amount of a unit is unknown. */
const whyNoRest = (
  received: Pick<CheckAnswer['received'], 'headers'>,
  unit: string,
  limitName: LimitName,
): string =>
  (quotaIn(received.headers)?.[limitName] ?? null) === null
    ? whyUnknown(received, unit, limitName)
    : `no header says how many ${unit} remain`;

/** Judges limit headers if no header has a name of the interface. */
const judgeOthers = (
  { families, text }: ReturnType<typeof othersIn>,
  wanted: string | undefined,
): Judged => {
  if (wanted !== undefined && families.includes(wanted)) return pass(`those ${text}`);
  return deviation(
    'other-limit-headers',
    `under other names, those ${text}; right with --header-family ${families[0]}`,
  );
};

/**
 * Judges the four limit headers. `deviationName` names a known deviation of servers that omit the headers from this
 * kind of answer. With `null`, missing headers are a violation.
 */
const judgeHeaders = (
  answer: CheckAnswer,
  deviationName: string | null,
  wanted: string | undefined,
): Judged => {
  const { headers } = answer.received;
  const missing = names.filter((name) => headers[name] === undefined);
  const others = othersIn(answer);
  if (missing.length === names.length && others.families.length > 0)
    return judgeOthers(others, wanted);
  if (missing.length > 0) {
    const what = missing.length === names.length ? 'all four' : missing.join(', ');
    const elsewhere =
      others.families.length === 0 ? '' : `; under other names there are those ${others.text}`;
    const observed = `missing: ${what}${elsewhere}`;
    return deviationName === null ? violation(observed) : deviation(deviationName, observed);
  }
  const odd = names.filter((name) => !/^\d{1,15}$/.test(headers[name]!.trim()));
  return odd.length === 0
    ? pass('all four')
    : violation(
        `no whole number: ${odd.map((name) => `${name}: ${answer.quote(headers[name]!, 40)}`).join(', ')}`,
      );
};

const headersOn: Readonly<Record<string, readonly [request: string, deviation: string | null]>> = {
  chat: ['chat', null],
  stream: ['stream', 'no-limit-headers-on-streams'],
  models: ['models', 'no-limit-headers-on-models'],
  speech: ['speech-default', 'no-limit-headers-on-speech'],
  transcription: ['transcription-json', 'no-limit-headers-on-transcriptions'],
  refusals: ['temperature-above', 'no-limit-headers-on-refusals'],
};

const presence = Object.entries(headersOn).map(([where, [request, name]]) =>
  checkOf(
    `headers.${where}`,
    ['8.headers'],
    `the four headers on ${where === 'refusals' ? 'a 400' : `an answer of ${where}`}`,
    (answer, { headerFamily }) => judgeHeaders(answer, name, headerFamily),
    request,
  ),
);

const units = [
  {
    unit: 'requests',
    rows: [['8.limit_requests', '8.requests'], ['8.remaining_requests']],
    limitName: 'limitRequests',
    remainingName: 'remainingRequests',
    documented: 60,
  },
  {
    unit: 'tokens',
    rows: [['8.limit_tokens', '8.tokens'], ['8.remaining_tokens']],
    limitName: 'limitTokens',
    remainingName: 'remainingTokens',
    documented: 2_000_000,
  },
] as const;

const values = units.flatMap(({ unit, rows, limitName, remainingName, documented }) => [
  checkOf(
    `limit.${unit}`,
    rows[0],
    `${limitHeaders[limitName]} is ${documented}, unless another limit was agreed`,
    ({ received: { headers } }): Judged => {
      const limit = quotaIn(headers)?.[limitName] ?? null;
      if (limit === null) return unchecked(whyUnknown({ headers }, unit, limitName));
      if (limit <= 0) return violation(`the limit is ${limit}`);
      return limit === documented ? pass(String(limit)) : open(`the limit is ${limit}`);
    },
    'chat',
  ),
  checkOf(
    `remaining.${unit}`,
    rows[1],
    `${limitHeaders[remainingName]} is between 0 and the limit`,
    ({ received: { headers } }): Judged => {
      const read = quotaIn(headers);
      const [limit, remaining] = [read?.[limitName] ?? null, read?.[remainingName] ?? null];
      if (limit === null || remaining === null)
        return unchecked(whyNoRest({ headers }, unit, limitName));
      return remaining >= 0 && remaining <= limit
        ? pass(`${remaining} of ${limit}`)
        : (readLimitHeaders(headers)?.[limitName] ?? null) === null
          ? open(`${remaining} remain of ${limit}`)
          : violation(`${remaining} remain of ${limit}`);
    },
    'chat',
  ),
]);

const fallingRest = checkAcross(
  'remaining.falls',
  ['8.remaining_requests'],
  'one chat later, fewer requests remain',
  (answers): Judged => {
    const read = ['chat', 'minimal'].map((id) => answers.of(id)!.received);
    const [before = null, after = null] = read.map(
      ({ headers }) => quotaIn(headers)?.remainingRequests ?? null,
    );
    if (before === null || after === null)
      return unchecked(whyNoRest(read[before === null ? 0 : 1]!, 'requests', 'limitRequests'));
    if (after < before) return pass(`${before}, then ${after}`);
    if (after > before) return open(`${before}, then ${after}: a window began between them`);
    // A bucket that refills may be full again a second later, but not after all requests of the checks. So all answers
    // are compared.
    const others = answers.all.map(
      ({ received }) => quotaIn(received.headers)?.remainingRequests ?? before,
    );
    return others.every((remaining) => remaining === before)
      ? deviation('constant-remaining', `${before} every time`)
      : open(`${before} both times, and another number later`);
  },
  { needs: ['chat', 'minimal'] },
);

export const limitChecks: readonly Check[] = [...presence, ...values, fallingRest];
