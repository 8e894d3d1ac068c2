import { documentedErrors } from '../../../contract/error-body.ts';
import { routes } from '../../../contract/routes.ts';
import { looksLikeHtml, readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Answers,
  type Check,
  type CheckCase,
  type CheckRequest,
  checksOf,
  type CheckTarget,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { judgeFields, judgeRefused, oneOf } from '../reading/judge-answer.ts';
import { chatWith, getRequest, jsonRequest, transcriptionForm } from './check-requests.ts';

/**
 * This file checks refusals: of keys (interface, section 5), of wrong paths and methods, of a missing version (section
 * 9), and the bodies of errors (section 7).
 */

const authentication = checksOf('authentication');

/** A request to each endpoint. The gateway checks the key first, so these requests cost nothing. */
const keyedRequests = {
  chat: chatWith({ max_tokens: 1 }),
  models: () => ({ ...routes.models, headers: { accept: 'application/json' }, body: null }),
  speech: ({ speech: model, voice }: CheckTarget) =>
    model === null ? null : jsonRequest('speech', { model, input: 'Yes.', voice }),
  transcription: (target: CheckTarget) => transcriptionForm(target, {}),
} as const satisfies Readonly<Record<string, CheckRequest['build']>>;

const keyCase = (
  route: keyof typeof keyedRequests,
  key: 'unknown' | 'missing',
  rows: readonly string[],
): CheckCase =>
  authentication.caseOf(
    {
      id: `${key}-key-${route}`,
      rows,
      expected: `401 for ${route} with ${key === 'missing' ? 'no key' : 'an unknown key'}`,
      key,
      build: keyedRequests[route],
    },
    judgeRefused(401),
  );

export const authenticationCases: readonly CheckCase[] = [
  ...(Object.keys(keyedRequests) as (keyof typeof keyedRequests)[]).map((route) =>
    keyCase(route, 'missing', ['4.auth', '5.1', '5.3', '7.401']),
  ),
  keyCase('chat', 'unknown', ['5.3', '7.401']),
];

export const authenticationChecks: readonly Check[] = [
  ...authenticationCases.map(({ check }) => check),
  ...(['type', 'code'] as const).map((field) =>
    authentication.checkOf(
      `unknown-key.${field}`,
      ['7.401'],
      `error.${field} is ${documentedErrors[401][field]}`,
      (answer, target) =>
        answer.text.trim() === ''
          ? unchecked('the body is empty')
          : judgeFields(answer, target, `error.${field}`, oneOf(documentedErrors[401][field])),
      'unknown-key-chat',
    ),
  ),
];

const { caseOf, checkAcross } = checksOf('errors');

/** Returns the name of the form of an error body; `null` for the documented form. */
const formOf = (answer: CheckAnswer): string | null => {
  const { json, text } = answer;
  if (text.trim() === '') return 'empty-error';
  if (looksLikeHtml(text)) return 'proxy-page';
  const read = readErrorBody(json, (message) => message);
  if (read === null || read.form === 'json')
    return json === undefined ? 'text-error' : 'other-json-error';
  if (read.form === 'detail') return 'detail-error';
  if (read.form === 'none-429') return 'none-error';
  const { error } = json as { readonly error?: unknown };
  if (typeof error !== 'object' || error === null) return 'flat-error';
  const fields = error as Record<string, unknown>;
  const wrong = ['message', 'type', 'code'].filter((name) => typeof fields[name] !== 'string');
  return wrong.length === 0 ? null : `error-without-${wrong.join('-')}`;
};

const withStatus = (answers: Answers, status: number): readonly CheckAnswer[] =>
  answers.all.filter((answer) => answer.status === status && answer.received.failure === null);

const judgeBodies = (answers: readonly CheckAnswer[]): Judged => {
  if (answers.length === 0) return unchecked('no request was answered so');
  const byForm = Map.groupBy(answers, formOf);
  const deviating = [...byForm].filter(([form]) => form !== null);
  const [first] = deviating;
  if (first === undefined) return pass(`${answers.length} bodies`);
  const observed = deviating
    .map(([form, those]) => `${those.length} of ${answers.length}: ${form}`)
    .join(', ');
  const evidence = deviating.map(
    ([form, [example]]) => `${example!.requestId}: ${form}: ${example!.message}`,
  );
  return { ...deviation(first[0]!, observed), evidence };
};

const bodyCheck = (status: number, rows: readonly string[], uses: readonly string[]): Check =>
  checkAcross(
    `error-body.${status}`,
    rows,
    `the bodies of ${status} are {error: {message, type, code}}, all three strings`,
    (answers) => judgeBodies(withStatus(answers, status)),
    { uses },
  );

/**
 * Creates a request for which the specification defines no answer. A success, a status from 500 on, or an HTML page is
 * a deviation.
 */
const notedCase = (id: string, what: string, build: CheckRequest['build']): CheckCase =>
  caseOf(
    { id, rows: ['7.400'], expected: `${what} is not answered as a success`, build },
    (answer): Judged => {
      const { status, failure } = answer.received;
      if (status === null || failure !== null) return violation(answer.summary);
      if (status >= 200 && status < 300)
        return deviation('answers-anything', `answered with status ${status}`);
      if (status >= 500) return deviation('server-error', answer.summary);
      if (looksLikeHtml(answer.text)) return deviation('proxy-page', answer.summary);
      return status === 404 || status === 405 || status === 400
        ? pass(`status ${status}`)
        : open(answer.summary);
    },
  );

export const errorCases: readonly CheckCase[] = [
  notedCase('unknown-path', 'an unknown path', () => getRequest('/weir-no-such-path')),
  notedCase('get-chat', 'GET instead of POST for a chat', () => getRequest(routes.chat.path)),
  notedCase('post-models', 'POST instead of GET for the models', (target) => {
    const chat = chatWith({ max_tokens: 1 })(target);
    return chat === null ? null : { ...chat, path: routes.models.path };
  }),
];

const judgeLimited = ({ limited }: Answers): Judged => {
  const [answer] = limited;
  if (answer === undefined)
    return unchecked('no request was limited; weir limits provokes a limit on purpose');
  const form = formOf(answer);
  if (form === 'none-error') return pass('the second documented form');
  const error = readErrorBody(answer.json, (text) => text);
  const { type, code } = documentedErrors[429];
  if (form !== null) return deviation(form, answer.summary);
  return error?.type === type && error.code === code
    ? pass(`${type}, ${code}`)
    : violation(
        `type ${answer.quote(error?.type ?? 'missing', 40)}, code ${answer.quote(error?.code ?? 'missing', 40)}`,
      );
};

const judgeCredits = (answers: Answers): Judged => {
  const [answer] = withStatus(answers, 402);
  if (answer === undefined) return unchecked('the key has credits');
  const error = readErrorBody(answer.json, (text) => text);
  const { type, code } = documentedErrors[402];
  return error?.type === type && error.code === code
    ? pass(`${type}, ${code}`)
    : violation(answer.summary);
};

export const errorChecks: readonly Check[] = [
  ...errorCases.map(({ check }) => check),
  bodyCheck(400, ['7.body', '7.other'], ['temperature-above', 'no-model', 'speech-format']),
  bodyCheck(401, ['7.body', '7.401'], ['unknown-key-chat']),
  bodyCheck(413, ['7.body', '7.413', '7.other'], ['transcription-too-large']),
  checkAcross(
    'error-body.429',
    ['7.429', '7.429_key', '7.body'],
    'a 429 has one of the two documented bodies',
    judgeLimited,
  ),
  checkAcross('error-body.402', ['7.402', '7.body'], 'a 402 has the documented body', judgeCredits),
  checkAcross(
    'server-errors',
    ['7.500'],
    'no answer was a 5xx or broken, and whole when asked again',
    ({ repeated, all }) => {
      const passing = repeated.filter(
        ({ requestId }) => all.find((answer) => answer.requestId === requestId)?.status !== null,
      );
      const evidence = passing.map(({ requestId, summary }) => `${requestId}: ${summary}`);
      return passing.length === 0
        ? pass('none')
        : { ...open(`${passing.length} requests were sent a second time`), evidence };
    },
  ),
];

/** Creates a request to the same host, without the version in its path. */
const unversionedCase = (id: string, what: string, build: CheckRequest['build']): CheckCase =>
  checksOf('versioning').caseOf(
    { id, rows: ['9.1'], expected: `404 for ${what}`, base: 'root', build },
    judgeRefused(404),
  );

export const versionCases: readonly CheckCase[] = [
  unversionedCase('root-models', 'the model list without /v1', () =>
    getRequest(routes.models.path),
  ),
  unversionedCase('root-chat', 'a chat without /v1', chatWith({ max_tokens: 1 })),
];
