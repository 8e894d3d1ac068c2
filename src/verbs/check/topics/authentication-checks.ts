import type { CheckAnswer } from '../reading/check-answer.ts';
import { documentedErrors } from '../../../contract/error-body.ts';
import { routes } from '../../../contract/routes.ts';
import {
  type Check,
  type CheckCase,
  caseOf,
  type CheckRequest,
  checkOf,
  type CheckTarget,
  jsonRequest,
  unchecked,
} from '../reading/check-case.ts';
import { chatWith } from './chat-requests.ts';
import { judgeFields, oneOf } from '../reading/json-fields.ts';
import { judgeRefused } from '../reading/judge-status.ts';
import { transcriptionForm } from './transcription-requests.ts';

/** Keys (interface 4, 5). */

const topic = 'authentication';

/** A request of each endpoint; the key decides, so none of them is paid. */
const requests = {
  chat: chatWith({ max_tokens: 1 }),
  models: () => ({ ...routes.models, headers: { accept: 'application/json' }, body: null }),
  speech: ({ speech: model, voice }: CheckTarget) =>
    model === null ? null : jsonRequest('speech', { model, input: 'Yes.', voice }),
  transcription: (target: CheckTarget) => transcriptionForm(target, {}),
} as const satisfies Readonly<Record<string, CheckRequest['build']>>;

const withKey = (
  route: keyof typeof requests,
  key: 'unknown' | 'missing',
  rows: readonly string[],
): CheckCase =>
  caseOf(
    {
      id: `${key}-key-${route}`,
      topic,
      rows,
      expected: `401 for ${route} with ${key === 'missing' ? 'no key' : 'an unknown key'}`,
      title: `${route} with ${key === 'missing' ? 'no key' : 'an unknown key'}`,
      key,
      build: requests[route],
    },
    judgeRefused(401),
  );

export const authenticationCases: readonly CheckCase[] = [
  ...(Object.keys(requests) as (keyof typeof requests)[]).map((route) =>
    withKey(route, 'missing', ['4.auth', '5.1', '5.3', '7.401']),
  ),
  withKey('chat', 'unknown', ['5.3', '7.401']),
];

const bodyCheck = (field: 'type' | 'code'): Check =>
  checkOf(
    {
      id: `unknown-key.${field}`,
      topic,
      rows: ['7.401'],
      request: 'unknown-key-chat',
      expected: `error.${field} is ${documentedErrors[401][field]}`,
    },
    (answer: CheckAnswer, target) =>
      answer.text.trim() === ''
        ? unchecked('the body is empty')
        : judgeFields(answer, target, `error.${field}`, oneOf(documentedErrors[401][field])),
  );

export const authenticationChecks: readonly Check[] = [
  ...authenticationCases.map(({ check }) => check),
  bodyCheck('type'),
  bodyCheck('code'),
];
