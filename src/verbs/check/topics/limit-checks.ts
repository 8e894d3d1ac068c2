import { limitHeaders, readLimitHeaders } from '../../../contract/limit-headers.ts';
import { readReportedLimits } from '../../../traffic/limits/read-limit-headers.ts';
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

/** This file checks the limit headers (interface, section 8). The limits themselves are examined by `weir limits`. */

const { checkOf, checkAcross } = checksOf('limits');

const names = Object.values(limitHeaders);

/** Returns the names of other families of limit headers in an answer; empty for none. */
const othersIn = (headers: Readonly<Record<string, string>>): string => {
  const { reported } = readReportedLimits(headers, Number.NaN);
  const families = new Set(reported.map(({ profile }) => profile));
  families.delete('litellm');
  return families.size === 0 ? '' : `; there are limit headers of ${[...families].join(', ')}`;
};

/**
 * Judges the four limit headers. If servers are known to omit them from such an answer, `deviationName` names that
 * deviation; with `null`, missing headers are a violation.
 */
const judgeHeaders = (answer: CheckAnswer, deviationName: string | null): Judged => {
  const { headers } = answer.received;
  const missing = names.filter((name) => headers[name] === undefined);
  if (missing.length > 0) {
    const what = missing.length === names.length ? 'all four' : missing.join(', ');
    const observed = `missing: ${what}${othersIn(headers)}`;
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
    (answer) => judgeHeaders(answer, name),
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
      const limit = readLimitHeaders(headers)?.[limitName] ?? null;
      if (limit === null) return unchecked('the header is missing');
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
      const read = readLimitHeaders(headers);
      const [limit, remaining] = [read?.[limitName] ?? null, read?.[remainingName] ?? null];
      if (limit === null || remaining === null) return unchecked('a header is missing');
      return remaining >= 0 && remaining <= limit
        ? pass(`${remaining} of ${limit}`)
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
    const [before, after] = ['chat', 'minimal'].map(
      (id) => readLimitHeaders(answers.of(id)!.received.headers)?.remainingRequests ?? null,
    );
    if (typeof before !== 'number' || typeof after !== 'number')
      return unchecked('the header is missing');
    if (after < before) return pass(`${before}, then ${after}`);
    if (after > before) return open(`${before}, then ${after}: a window began between them`);
    // A bucket that refills all the time may be full again a second later. It cannot be full after all the requests of
    // the checks.
    const others = answers.all.map(
      ({ received }) => readLimitHeaders(received.headers)?.remainingRequests ?? before,
    );
    return others.every((remaining) => remaining === before)
      ? deviation('constant-remaining', `${before} every time`)
      : open(`${before} both times, and another number later`);
  },
  { needs: ['chat', 'minimal'] },
);

export const limitChecks: readonly Check[] = [...presence, ...values, fallingRest];
