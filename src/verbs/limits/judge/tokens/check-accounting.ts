import { advisoryCheck, type LimitCheck } from '../../../../model/limits/limit-log.ts';
import { ownCountRatio } from '../../../../judge/limits/facts/token-uses.ts';
import { tokenKinds, type TokenLog } from '../../model/token-log.ts';
import type { ChargeRow } from '../../model/token-report.ts';
import type { MeasuredCharge } from './measured-charges.ts';
import { latenessText, type TokenGuards } from './token-guards.ts';
import { roundedCount } from './token-charges.ts';

export const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;

/** A charge is treated as equal to an amount up to this difference: a number of tokens plus a share of the amount. */
const tolerance = { tokens: 2, share: 0.02 };

const isAbout = (charge: number, amount: number): boolean =>
  Math.abs(charge - amount) <= tolerance.tokens + tolerance.share * amount;

const wordsOf = ({ status, prompt, used, charge, isSteady }: MeasuredCharge): string => {
  if (charge === null) return 'not shown';
  // A refill during the measurement hides a part of a charge, so the visible part is a lower bound.
  const isPart = !isSteady && charge > tolerance.tokens && !isAbout(charge, used ?? prompt);
  if (isPart && charge < (used ?? prompt)) return `at least ${roundedCount(charge)} tokens`;
  if (charge <= tolerance.tokens) return 'nothing';
  if (used !== null && isAbout(charge, used)) return status === 200 ? 'its usage' : 'prompt';
  if (isAbout(charge, prompt)) return 'prompt';
  return used === null
    ? `${roundedCount(charge)} tokens`
    : `${(charge / used).toFixed(2)} times its usage`;
};

export const chargeRows = (charges: readonly MeasuredCharge[]): readonly ChargeRow[] =>
  charges.map((measured) => ({
    kind: measured.kind,
    status: measured.status,
    prompt: measured.prompt,
    used: measured.used,
    charge: measured.charge,
    words: wordsOf(measured),
  }));

/** The kinds of requests whose charge is not defined, so a customer cannot expect a certain charge. */
const freely: readonly string[] = ['cut-answering', 'cut-sent', 'again', 'speech', 'transcription'];

/** Returns what a customer expects to be charged: the usage of an answer, nothing for an error. */
const expectedOf = ({ status, used, prompt }: MeasuredCharge): number =>
  status === 200 ? (used ?? prompt + 1) : 0;

/**
 * Returns the charges that a customer would not expect. A charge above the expected charge is always unexpected. A
 * refill can hide a part of a charge, so a charge below the expected charge is unexpected only if another kind of
 * request is charged the same share.
 */
const oddCharges = (charges: readonly MeasuredCharge[]): readonly MeasuredCharge[] => {
  const shown = charges.filter(({ kind, charge }) => charge !== null && !freely.includes(kind));
  const wrong = shown.filter((measured) => !isAbout(measured.charge!, expectedOf(measured)));
  const isMore = (measured: MeasuredCharge): boolean => measured.charge! > expectedOf(measured);
  const shareOf = (measured: MeasuredCharge): number => measured.charge! / expectedOf(measured);
  const less = wrong.filter((measured) => !isMore(measured) && measured.isSteady);
  const hasLike = (measured: MeasuredCharge): boolean =>
    less.some(
      (other) =>
        other !== measured && Math.abs(shareOf(other) - shareOf(measured)) <= tolerance.share,
    );
  return wrong.filter(
    (measured) => isMore(measured) || (less.includes(measured) && hasLike(measured)),
  );
};

/** Returns the measured charges that equal what a customer expects. */
const shownAsExpected = (charges: readonly MeasuredCharge[]): readonly MeasuredCharge[] =>
  charges.filter(({ kind, status, used, charge }) => {
    if (charge === null || (used === null && status === 200)) return false;
    return kind !== 'again' && isAbout(charge, status === 200 ? (used ?? 0) : 0);
  });

/** Returns the parts of the claim about charges that no measured charge supports. */
const partsNotShown = (shown: readonly MeasuredCharge[]): readonly string[] => [
  ...(['chat', 'stream'] as const).filter((each) => !shown.some(({ kind }) => kind === each)),
  ...(shown.some(({ status }) => status >= 400) ? [] : ['errors']),
];

/** The fields that explain the charge of an answer. They come from a measurement or from a stored report. */
type AnswerCharge = Pick<ChargeRow, 'kind' | 'status' | 'prompt' | 'used' | 'charge'>;

/**
 * A charge shows that an answer is charged only if the answer has at least this many tokens, or if the charge includes
 * at least `shownShare` of them.
 */
const shownAnswer = 5;
const shownShare = 0.5;

/**
 * Returns whether a charge includes tokens of the answer, and not only the tokens of the prompt. The charge must exceed
 * any count of the prompt. The charge must also equal the usage, or reach at least the prompt plus half of the answer,
 * since a refill makes a charge smaller.
 */
const isAnswerShown = ({ status, prompt, used, charge }: AnswerCharge): boolean => {
  if (status !== 200 || charge === null || used === null || charge > used + 1) return false;
  const answer = used - prompt;
  const isUsage = charge >= used - 1 && answer >= shownAnswer;
  return charge >= ownCountRatio * prompt && (isUsage || charge >= prompt + shownShare * answer);
};

/**
 * Returns the kinds of answers that no measured charge includes: all, whole or streamed answers; `null` if each kind is
 * included. If the examination requested no long streamed answer, whole answers are enough for `null`.
 */
const answersNotShown = (
  charges: readonly AnswerCharge[],
): 'answers' | 'whole answers' | 'streamed answers' | null => {
  const isStreamed = ({ kind }: AnswerCharge): boolean => kind === 'stream-answer';
  const streamed = charges.filter(isStreamed);
  const isWholeShown = charges.some((each) => !isStreamed(each) && isAnswerShown(each));
  const isStreamShown = streamed.some(isAnswerShown);
  if (isWholeShown) return isStreamShown || streamed.length === 0 ? null : 'streamed answers';
  return isStreamShown ? 'whole answers' : 'answers';
};

/**
 * Returns the longer answers for which only the prompt was charged. They contradict the promise that usage is charged.
 */
const freeAnswers = (charges: readonly AnswerCharge[]): readonly AnswerCharge[] =>
  charges.filter(
    ({ status, prompt, used, charge }) =>
      status === 200 &&
      charge !== null &&
      used !== null &&
      used - prompt >= shownAnswer &&
      Math.abs(charge - prompt) <= 1,
  );

/**
 * Returns whether the limit counts all tokens, but no charge shows that answers are charged. The bursts are no evidence
 * about answers, since in a burst prompts alone reach the limit.
 */
export const areAnswersUnseen = (
  { charges }: { readonly charges: readonly AnswerCharge[] },
  { unit }: Pick<TokenLog, 'unit'>,
): boolean => unit === undefined && answersNotShown(charges) !== null;

/**
 * Returns reasons not to call a limit kept although its bursts were refused in time. The reasons say that only prompts
 * were seen to be charged. Returns no reason if answers were also seen to be charged, or if the operator's promise that
 * usage is charged is not contradicted.
 */
export const whyAnswersAreUnseen = (
  guards: TokenGuards,
  log: Pick<TokenLog, 'unit'>,
  { isPromised }: { readonly isPromised: boolean },
): readonly string[] => {
  const free = freeAnswers(guards.charges);
  if (isPromised && free.length > 0 && log.unit === undefined)
    return free.map(
      ({ kind, used, prompt }) =>
        `beside an answer of ${roundedCount((used ?? 0) - prompt)} tokens (${kind}) the remaining tokens fell by the prompt alone`,
    );
  return isPromised || !areAnswersUnseen(guards, log)
    ? []
    : [
        `the bursts are of prompts, and nothing shows that the tokens of ${answersNotShown(guards.charges)} are charged (--yes-tokens says that usage is)`,
      ];
};

/** If the gateway charges nothing for these kinds of chats, a customer can exceed the limit with them. */
const loopholes: readonly string[] = ['again', 'cut-answering'];

/**
 * Names the loopholes that the gateway has: the kinds of chats in `loopholes` that were answered and charged nothing.
 */
const freeText = (charges: readonly MeasuredCharge[]): string => {
  const free = charges.filter(
    (measured) =>
      measured.status === 200 &&
      loopholes.includes(measured.kind) &&
      wordsOf(measured) === 'nothing',
  );
  return free.map(({ kind }) => `; ${tokenKinds[kind]} is charged nothing`).join('');
};

/**
 * Returns what restricts the verdict `kept`: which kinds of requests are charged nothing, and whether only the operator
 * promises that answers are charged. Returns an empty text if nothing does.
 */
export const caveatsText = (guards: TokenGuards, log: Pick<TokenLog, 'unit'>): string =>
  areAnswersUnseen(guards, log)
    ? `${freeText(guards.charges)}; that the tokens of answers are charged rests on --yes-tokens, since the bursts are of prompts`
    : freeText(guards.charges);

/** Checks whether the charges equal the usage that the answers report. */
export const checkAccounting = ({ charges }: TokenGuards): LimitCheck => {
  const odd = oddCharges(charges);
  const shown = shownAsExpected(charges);
  const missing = partsNotShown(shown);
  const seen =
    shown.length === 0
      ? 'the remaining tokens do not show what is charged'
      : `true of ${shown.map(({ kind }) => kind).join(', ')}`;
  return advisoryCheck({
    id: 'token-accounting',
    claim:
      'What is charged is the usage that answers report, for chats and streams alike, and nothing for errors.',
    finding: odd.length > 0 ? 'refuted' : missing.length === 0 ? 'proved' : 'undecided',
    observed:
      odd.length > 0
        ? odd.map((measured) => `${measured.kind}: ${wordsOf(measured)}`).join(', ')
        : shown.length > 0 && missing.length > 0
          ? `${seen}; not shown of ${missing.join(', ')}`
          : seen,
  });
};

/** Checks how soon after an answer the gateway charges its usage. The small chats after the bursts are the evidence. */
export const checkSettling = ({ settling }: TokenGuards): LimitCheck =>
  advisoryCheck({
    id: 'token-settling',
    claim: 'Usage is charged soon after the answer, within a tenth of a window.',
    finding: settling.isLateShown
      ? 'refuted'
      : settling.isLate || !settling.isMeasured
        ? 'undecided'
        : 'proved',
    observed: settling.isLate
      ? latenessText(settling)
      : settling.isMeasured
        ? `within ${seconds(settling.settle)} in these bursts`
        : 'no small chat after a burst was refused',
  });
