import {
  type Answers,
  type Check,
  checksOf,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
} from '../reading/check-case.ts';
import type {
  ChargeFacts,
  GenerationFacts,
  HangUpFacts,
  SlotFacts,
} from '../reading/hang-up-facts.ts';

/** This file judges what a gateway does when its client hangs up. The interface says nothing about hang-ups. */

const { checkAcross } = checksOf('disconnects');

const time = (length: number): string =>
  length < 1000 ? `${Math.round(length)} ms` : `${(length / 1000).toFixed(1)} s`;

/**
 * If the slot is free, or no request runs on the server, before this share of the answer's remaining time has passed,
 * the hang-up is the cause.
 */
const earlyShare = 0.5;
/**
 * If the slot becomes free, or the last request ends, only after this share of the answer's remaining time, the hang-up
 * had no effect.
 */
const lateShare = 0.8;

const judgeSlot = (facts: SlotFacts): Judged => {
  const { admitted, refusedFor, refusals, admittedAfter, triedFor, naturalRest } = facts;
  const full = `with ${admitted} streams a further chat was refused ${refusals} times in ${time(refusedFor)}; one stream was hung up on, which would have taken another ${time(naturalRest)}`;
  if (admittedAfter !== null && admittedAfter < earlyShare * naturalRest)
    return admittedAfter < refusedFor
      ? pass(`admitted again ${time(admittedAfter)} after the hang-up: ${full}`)
      : unchecked(
          `admitted again only after ${time(admittedAfter)}, which time may have done: ${full}`,
        );
  if (admittedAfter !== null && admittedAfter >= lateShare * naturalRest)
    return deviation(
      'slot-held',
      `admitted again only ${time(admittedAfter)} after the hang-up, when the answer would have ended: ${full}`,
    );
  // If only one stream was admitted, another client may hold its slot, so the finding is unsure.
  const isSure = facts.namesInFlight && admitted > 1;
  if (admittedAfter === null && triedFor >= lateShare * naturalRest && isSure)
    return deviation('slot-held', `not admitted for ${time(triedFor)} after the hang-up: ${full}`);
  const seen =
    admittedAfter === null
      ? `not admitted for ${time(triedFor)}`
      : `admitted after ${time(admittedAfter)}`;
  return unchecked(`${seen}, which may be due to another limit: ${full}`);
};

const judgeGeneration = (facts: GenerationFacts): Judged => {
  const { idleAfter, lookedFor, naturalRest, tokensAfter } = facts;
  const tokens =
    tokensAfter === null
      ? 'the metrics count no tokens'
      : `${tokensAfter} tokens were counted after the hang-up`;
  const rest = `the answer would have taken another ${time(naturalRest)}; ${tokens}`;
  if (naturalRest < 1000) return unchecked(`too short to tell: ${rest}`);
  if (idleAfter !== null && idleAfter < earlyShare * naturalRest)
    return pass(`no request ran ${time(idleAfter)} after the hang-up: ${rest}`);
  if (tokensAfter === 0)
    return unchecked(
      `the metrics still counted a request as running ${time(idleAfter ?? lookedFor)} after the hang-up, but no new tokens: ${rest}`,
    );
  if (idleAfter === null || idleAfter >= lateShare * naturalRest)
    return deviation(
      'generates-on',
      `a request still ran ${time(idleAfter ?? lookedFor)} after the hang-up: ${rest}`,
    );
  return unchecked(`no request ran ${time(idleAfter)} after the hang-up: ${rest}`);
};

const judgeCharge = (facts: ChargeFacts): Judged => {
  const { ofHangUp, ofWhole, events, wholeEvents, promptTokens } = facts;
  const prompt = promptTokens === null ? '' : `; the prompt has ${promptTokens}`;
  const seen = `${ofHangUp} tokens of the limit for a hang-up after ${events} token events, ${ofWhole} for a whole answer of ${wholeEvents}${prompt}`;
  if (ofHangUp === 0) return open(`nothing was charged: ${seen}`);
  return ofHangUp >= 0.95 * ofWhole
    ? deviation('charged-whole', `charged as if it were whole: ${seen}`)
    : pass(seen);
};

type Facts = Exclude<HangUpFacts[keyof HangUpFacts], { readonly unseen: string }>;

const judged =
  <Name extends keyof HangUpFacts>(
    name: Name,
    judge: (facts: Extract<HangUpFacts[Name], Facts>) => Judged,
  ) =>
  ({ hangUps }: Answers): Judged => {
    if (hangUps === undefined) return unchecked('no stream was hung up on: no chat model is known');
    const facts = hangUps[name];
    return 'unseen' in facts
      ? unchecked(facts.unseen)
      : judge(facts as Extract<HangUpFacts[Name], Facts>);
  };

export const disconnectChecks: readonly Check[] = [
  checkAcross(
    'disconnect.slot',
    [],
    'a key at its cap of requests in flight admits again soon after a hang-up',
    judged('slot', judgeSlot),
  ),
  checkAcross(
    'disconnect.generation',
    [],
    'the server stops generating soon after a hang-up, by its own metrics',
    judged('generation', judgeGeneration),
  ),
  checkAcross(
    'disconnect.charge',
    [],
    'a hang-up is charged less than a whole answer, by the remaining tokens',
    judged('charge', judgeCharge),
  ),
];
