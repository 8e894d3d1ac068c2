import { speechCost, transcriptionCost } from '../../../contract/prices.ts';
import { type CheckRequest, free, type RequestCost } from '../reading/check-case.ts';

/** What the suite needs at most, besides what a gateway takes that answers what it has to refuse. */
export interface CheckBudget extends RequestCost {
  readonly requests: number;
  /** Requests that follow only where others are refused. */
  readonly more: number;
  /** Of speech and transcription, in micro-units of the currency; chats have no known price. */
  readonly audioCost: number;
}

/** Whether a request costs nothing if all goes well. */
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
