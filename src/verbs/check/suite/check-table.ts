import { authenticationCases, authenticationChecks } from '../topics/authentication-checks.ts';
import type { Check, CheckRequest } from '../reading/check-case.ts';
import { chatAnswerCases, chatAnswerChecks } from '../topics/chat-answer-checks.ts';
import { boundRequests } from '../topics/chat-bounds.ts';
import { chatParameterCases, chatParameterChecks } from '../topics/chat-parameter-checks.ts';
import { errorCases, errorChecks } from '../topics/error-checks.ts';
import { limitChecks } from '../topics/limit-checks.ts';
import { modelChecks, modelList } from '../topics/model-checks.ts';
import { speechCases, speechChecks } from '../topics/speech-checks.ts';
import { streamCases, streamChecks } from '../topics/stream-checks.ts';
import { transcriptionCases } from '../topics/transcription-cases.ts';
import { transcriptionChecks } from '../topics/transcription-checks.ts';
import { versionCases, versionChecks } from '../topics/version-checks.ts';

/** Every check of the interface, in the order of the reports. */
export const checkTable: readonly Check[] = [
  ...modelChecks,
  ...chatAnswerChecks,
  ...chatParameterChecks,
  ...streamChecks,
  ...speechChecks,
  ...transcriptionChecks,
  ...authenticationChecks,
  ...errorChecks,
  ...limitChecks,
  ...versionChecks,
];

/** Every request, in the order in which they are sent. */
export const checkRequests: readonly CheckRequest[] = [
  modelList.request,
  ...[
    ...chatAnswerCases,
    ...chatParameterCases,
    ...streamCases,
    ...speechCases,
    ...transcriptionCases,
    ...authenticationCases,
    ...errorCases,
    ...versionCases,
  ].map(({ request }) => request),
  ...boundRequests,
];

/** The requests that checks look at; those that follow a refusal come with the one that they follow. */
export const requestsFor = (checks: readonly Check[]): readonly CheckRequest[] => {
  const ids = new Set(checks.flatMap(({ needs, uses }) => [...needs, ...uses]));
  return checkRequests.filter(({ id }) => ids.has(id));
};
