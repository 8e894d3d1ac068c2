import { routes } from '../../../contract/routes.ts';
import { type Check, type CheckCase, caseOf } from '../reading/check-case.ts';
import { chatWith } from './chat-requests.ts';
import { judgeRefused } from '../reading/judge-status.ts';

/** The version in the path (interface 9). The request without it goes to the same host. */

const outside = (id: string, title: string, build: CheckCase['request']['build']): CheckCase =>
  caseOf(
    {
      id,
      topic: 'versioning',
      rows: ['9.1'],
      expected: `404 for ${title}`,
      title,
      base: 'root',
      build,
    },
    judgeRefused(404),
  );

export const versionCases: readonly CheckCase[] = [
  outside('root-models', 'the model list without /v1', () => ({
    ...routes.models,
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    body: null,
  })),
  outside('root-chat', 'a chat without /v1', chatWith({ max_tokens: 1 })),
];

export const versionChecks: readonly Check[] = versionCases.map(({ check }) => check);
