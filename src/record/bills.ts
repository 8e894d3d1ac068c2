import { type Bill, type BillFate, billFates, type Bills } from '../model/measures/bill.ts';
import type { AttemptFacts } from '../model/observation/attempt.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type Answer, type Outcome, partialOf } from '../model/observation/outcome.ts';
import { tokenClasses, tokensByClass } from '../model/workload/price.ts';
import { mapInOrder } from './recorder.ts';

/** This file adds up the cost of a group's attempts, as far as the server reported the cost. */

const noTokens = (): NonNullable<Bill['tokens']> => ({
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  audioInput: 0,
  output: 0,
  reasoning: 0,
  audioOutput: 0,
});

const billOf = (bills: Bills, fate: BillFate): Bill =>
  (bills[fate] ??= { known: 0, unknown: 0, cost: 0 });

const addAnswer = (bill: Bill, answer: Answer | null): void => {
  const cost = answer !== null && 'cost' in answer ? answer.cost : null;
  if (cost === null) {
    bill.unknown += 1;
    return;
  }
  bill.known += 1;
  bill.cost += cost;
  if (answer === null || !('tokens' in answer) || answer.tokens.input === null) return;
  const tokens = (bill.tokens ??= noTokens());
  const { input, output, cached, cacheWrite, audioInput, reasoning, audioOutput } = answer.tokens;
  // This code runs for each answer. Most answers have no tokens of these classes, so two additions suffice.
  if (!(cached || cacheWrite || audioInput || reasoning || audioOutput)) {
    tokens.input += input;
    tokens.output += output;
    return;
  }
  const counts = tokensByClass({ ...answer.tokens, input });
  for (const name of tokenClasses) tokens[name] += counts[name];
};

/**
 * Adds an attempt that did not complete. For a chat of unknown cost, also adds the received tokens and the maximum
 * length of the answer, because these numbers bound the cost.
 */
const addUncompleted = (bill: Bill, answer: Answer | null, size: AttemptFacts['size']): void => {
  const before = bill.unknown;
  addAnswer(bill, answer);
  if (bill.unknown === before || size === undefined) return;
  const sums = (bill.unreported ??= { received: 0, asked: 0, unlimited: 0 });
  if (answer !== null && 'tokens' in answer && answer.tokens.source !== 'characters')
    sums.received += answer.tokens.output;
  if (size.maxTokens === null) sums.unlimited += 1;
  else sums.asked += size.maxTokens;
};

/**
 * Returns whether the server may charge for a failed attempt, that is, whether the attempt was sent and not refused.
 */
const mayCost = (outcome: Outcome, sent: number | null): boolean =>
  sent !== null && (outcome.kind === 'broken' || outcome.kind === 'malformed');

/** Adds the attempts of an arrival to the bills. Requests for the list of models cost nothing. */
export const recordBills = (
  bills: Bills,
  { outcome, sent, size, earlier, traffic }: Observation,
): void => {
  if (traffic === 'models') return;
  if (outcome.kind === 'completed') addAnswer(billOf(bills, 'completed'), outcome.answer);
  else if (outcome.kind === 'cancelled') {
    // If the client hung up before it sent the attempt, the attempt costs nothing.
    if (sent !== null) addUncompleted(billOf(bills, 'cancelled'), partialOf(outcome), size);
  } else if (mayCost(outcome, sent))
    addUncompleted(billOf(bills, 'failed'), partialOf(outcome), size);
  for (const attempt of earlier) {
    if (mayCost(attempt.outcome, attempt.sent))
      addUncompleted(billOf(bills, 'retried'), partialOf(attempt.outcome), attempt.size);
  }
};

export const storeBills = (bills: Bills): Bills =>
  mapInOrder(billFates, bills, structuredClone<Bill>);
