import { documentedErrors } from '../../../contract/error-body.ts';
import { looksLikeHtml, readErrorBody } from '../../../traffic/answer/read-refusal.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Answers,
  type Check,
  type CheckCase,
  caseOf,
  checkAcross,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { chatWith } from './chat-requests.ts';
import { routes } from '../../../contract/routes.ts';

/** Bodies of errors, wrong paths and methods (interface 7). */

const topic = 'errors';

/** The form of an error body: the documented one is `null`, the others have names. */
const formOf = (answer: CheckAnswer): string | null => {
  const { json, text } = answer;
  if (text.trim() === '') return 'empty-error';
  if (looksLikeHtml(text)) return 'proxy-page';
  const read = readErrorBody(json, (message) => message);
  if (read === null) return json === undefined ? 'text-error' : 'other-json-error';
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

/** Groups the answers by the form of their bodies. */
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

const bodiesOf = (status: number, rows: readonly string[], uses: readonly string[]): Check =>
  checkAcross(
    {
      id: `error-body.${status}`,
      topic,
      rows,
      uses,
      expected: `the bodies of ${status} are {error: {message, type, code}}, all three strings`,
    },
    (answers) => judgeBodies(withStatus(answers, status)),
  );

/** The answer is not specified, except that it is no success. */
const noted = (id: string, title: string, build: CheckCase['request']['build']): CheckCase =>
  caseOf(
    {
      id,
      topic,
      rows: ['7.400'],
      expected: `${title} is not answered as a success`,
      title,
      build,
    },
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

const nothing = { accept: 'application/json', 'accept-encoding': 'identity' } as const;

export const errorCases: readonly CheckCase[] = [
  noted('unknown-path', 'an unknown path', () => ({
    method: 'GET',
    path: '/weir-no-such-path',
    headers: nothing,
    body: null,
  })),
  noted('get-chat', 'GET instead of POST for a chat', () => ({
    method: 'GET',
    path: routes.chat.path,
    headers: nothing,
    body: null,
  })),
  noted('post-models', 'POST instead of GET for the models', (target) => {
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
  bodiesOf(400, ['7.body', '7.other'], ['temperature-above', 'no-model', 'speech-format']),
  bodiesOf(401, ['7.body', '7.401'], ['unknown-key-chat']),
  bodiesOf(413, ['7.body', '7.413', '7.other'], ['transcription-too-large']),
  checkAcross(
    {
      id: 'error-body.429',
      topic,
      rows: ['7.429', '7.429_key', '7.body'],
      expected: 'a 429 has one of the two documented bodies',
    },
    judgeLimited,
  ),
  checkAcross(
    {
      id: 'error-body.402',
      topic,
      rows: ['7.402', '7.body'],
      expected: 'a 402 has the documented body',
    },
    judgeCredits,
  ),
  checkAcross(
    {
      id: 'server-errors',
      topic,
      rows: ['7.500'],
      expected: 'no answer was a 5xx or broken, and whole when asked again',
    },
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
