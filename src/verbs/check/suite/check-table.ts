import { type Check, type CheckRequest, free, type RequestCost } from '../reading/check-case.ts';
import { chatAnswerCases, chatAnswerChecks } from '../topics/chat-answer-checks.ts';
import {
  boundRequests,
  chatParameterCases,
  chatParameterChecks,
} from '../topics/chat-parameter-checks.ts';
import {
  authenticationCases,
  authenticationChecks,
  errorCases,
  errorChecks,
  versionCases,
} from '../topics/refusal-checks.ts';
import { namedRequests } from './named-checks.ts';
import { limitChecks } from '../topics/limit-checks.ts';
import { modelChecks, modelList } from '../topics/model-checks.ts';
import { speechCases, speechChecks } from '../topics/speech-checks.ts';
import { streamCases, streamChecks } from '../topics/stream-checks.ts';
import { transcriptionCases } from '../topics/transcription-cases.ts';
import { transcriptionChecks } from '../topics/transcription-checks.ts';
import { speechCost, transcriptionCost } from '../../../contract/prices.ts';

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
  ...versionCases.map(({ check }) => check),
];

/** All requests, in the order in which they are sent. */
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

export const requestsFor = (checks: readonly Check[]): readonly CheckRequest[] => {
  const ids = new Set(checks.flatMap(({ needs, uses }) => [...needs, ...uses]));
  return [...checkRequests, ...namedRequests].filter(({ id }) => ids.has(id));
};

/** What the checks cost at most, if the gateway refuses everything that it must refuse. */
export interface CheckBudget extends RequestCost {
  readonly requests: number;
  /** How many further requests are sent only if another request is refused. */
  readonly more: number;
  /** The cost of speech and transcription, in millionths of the currency. Prices of chats are unknown. */
  readonly audioCost: number;
}

/** Returns whether a request costs nothing if the gateway behaves as specified. */
export const isFree = ({ cost }: CheckRequest): boolean =>
  cost.inputTokens + cost.outputTokens + cost.characters + cost.audioSeconds === 0;

export const checkBudgetFor = (requests: readonly CheckRequest[]): CheckBudget => {
  const usual = requests.filter(({ onlyIfRefused }) => onlyIfRefused === null);
  const sum = requests.reduce<RequestCost>(
    (whole, { cost }) => ({
      inputTokens: whole.inputTokens + cost.inputTokens,
      outputTokens: whole.outputTokens + cost.outputTokens,
      characters: whole.characters + cost.characters,
      audioSeconds: whole.audioSeconds + cost.audioSeconds,
    }),
    free,
  );
  return {
    ...sum,
    requests: usual.length,
    more: requests.length - usual.length,
    audioCost: speechCost(sum.characters) + transcriptionCost(sum.audioSeconds),
  };
};
