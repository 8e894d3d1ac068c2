import {
  answers,
  change,
  changeHeaders,
  changeJson,
  type Fields,
  fieldsOf,
  withJson,
} from './change-answers.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';

/** Defects against sections 5, 7, 8 and 9 of the interface: keys, errors, limits and the version. */

const validKey = 'Bearer sk-weir-test';

const header = (name: string): string => `x-ratelimit-api_key-${name}`;
const limitHeaders = [
  'limit-requests',
  'remaining-requests',
  'limit-tokens',
  'remaining-tokens',
].map(header);
const withoutLimits = Object.fromEntries(limitHeaders.map((name) => [name, null]));

const errorOf = (fields: Fields): Fields => (fields['error'] ?? {}) as Fields;

const isBadRequest = ({ status }: { readonly status: number }): boolean => status === 400;

export const defectsInRules: readonly SeededDefect[] = [
  {
    id: 'key-optional',
    wrong: 'requests without a key are served',
    section: '5',
    row: 'missing-key-chat',
    ask: (request) => ({
      ...request,
      headers: { authorization: validKey, ...request.headers },
    }),
  },
  {
    id: 'key-wrong-403',
    wrong: 'a wrong key gets 403 instead of 401',
    section: '5',
    row: 'unknown-key-chat',
    answer: change(answers.unauthorized, (answer, { headers }) => ({
      ...answer,
      status: 'authorization' in headers ? 403 : 401,
    })),
  },
  {
    id: 'unauthorized-code',
    wrong: 'the error code of a 401 is "unauthorized"',
    section: '7',
    row: 'unknown-key.code',
    answer: changeJson(answers.unauthorized, (fields) => {
      errorOf(fields)['code'] = 'unauthorized';
    }),
  },
  {
    id: 'error-code-number',
    wrong: 'error codes are the number of the status',
    section: '7',
    row: 'error-body.400',
    answer: changeJson(answers.refused, (fields) => {
      errorOf(fields)['code'] = 400;
    }),
  },
  {
    id: 'error-without-wrapper',
    wrong: 'errors come without the object "error" around them',
    section: '7',
    row: 'error-body.400',
    answer: change(answers.refused, (answer) =>
      withJson(answer, answer.status, errorOf(fieldsOf(answer.body))),
    ),
  },
  {
    id: 'invalid-parameters-422',
    wrong: 'invalid parameters of chats get 422 instead of 400',
    section: '7',
    row: 'temperature-above',
    answer: change(isBadRequest, (answer, { path }) =>
      path.endsWith('/chat/completions') ? { ...answer, status: 422 } : answer,
    ),
  },
  {
    id: 'audio-format-415',
    wrong: 'an unsupported format of speech gets 415 instead of 400',
    section: '7',
    row: 'speech-format',
    answer: change(isBadRequest, (answer, { path, body }) => {
      const format = fieldsOf(body)['response_format'] ?? 'mp3';
      const isKnown = ['mp3', 'wav', 'opus'].includes(format as string);
      return path.endsWith('/audio/speech') && !isKnown ? { ...answer, status: 415 } : answer;
    }),
  },
  {
    id: 'limit-headers-missing',
    wrong: 'no answer has limit headers',
    section: '8',
    row: 'headers.chat',
    answer: changeHeaders(answers.all, withoutLimits),
  },
  {
    id: 'limit-headers-missing-on-speech',
    wrong: 'speech has no limit headers',
    section: '8',
    row: 'headers.speech',
    answer: changeHeaders(answers.speech, withoutLimits),
  },
  {
    id: 'remaining-above-limit',
    wrong: 'more requests remain than the limit has',
    section: '8',
    row: 'remaining.requests',
    answer: change(answers.all, (answer) => {
      const limit = Number(answer.headers[header('limit-requests')]);
      const remaining = { [header('remaining-requests')]: String(limit + 1) };
      return Number.isNaN(limit)
        ? answer
        : { ...answer, headers: { ...answer.headers, ...remaining } };
    }),
  },
  {
    id: 'remaining-constant',
    wrong: 'the requests that remain never change',
    section: '8',
    row: 'remaining.falls',
    answer: change(answers.all, (answer) => {
      const limit = answer.headers[header('limit-requests')];
      return limit === undefined
        ? answer
        : { ...answer, headers: { ...answer.headers, [header('remaining-requests')]: limit } };
    }),
  },
  {
    id: 'unversioned-served',
    wrong: 'the interface is served without /v1, too',
    section: '9',
    row: 'root-chat',
    ask: (request) => ({
      ...request,
      path: request.path.startsWith('/v1') ? request.path : `/v1${request.path}`,
    }),
  },
];
