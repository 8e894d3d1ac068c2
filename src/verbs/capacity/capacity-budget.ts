import { countText, timeText } from '../../report/text/number-text.ts';
import { Problem } from '../../platform/problem.ts';
import type { SearchBudget } from './find-capacity.ts';
import {
  borderStepFor,
  climbStepFor,
  defaultPrecision,
  type SearchTerms,
  type StepRequest,
} from './judge/next-step.ts';
import { perSecondText } from './report/capacity-text.ts';

/** The highest rate that a search may try. If `isDeclared`, the declared limits set this rate, otherwise `--top`. */
export interface Highest {
  readonly rate: number;
  readonly isDeclared: boolean;
}

/** What some steps need: a number of requests, and seconds of load. */
interface Need {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * The number of steps near the answer. `fewest` counts one kept step and one broken step. `usual` is the number that a
 * search takes at the default precision, without (`flow`) or with objectives of latency. At other precisions, the usual
 * number is at least `leastUsual`.
 */
const borderSteps = { fewest: 2, leastUsual: 6, usual: { flow: 12, latency: 14 } } as const;

/** Returns the usual number of steps for a precision. An interval of half the width takes four times as many steps. */
const usualSteps = ({ forLatency, precision }: SearchTerms): number => {
  const kind = forLatency ? 'latency' : 'flow';
  const finer = defaultPrecision[kind] / precision;
  return Math.max(borderSteps.leastUsual, Math.ceil(borderSteps.usual[kind] * finer ** 2));
};

const needOf = (steps: readonly StepRequest[]): Need => ({
  requests: steps.reduce((sum, { rate, seconds }) => sum + Math.ceil(rate * seconds), 0),
  seconds: steps.reduce((sum, { seconds }) => sum + seconds, 0),
});

/**
 * Returns the steps of the climb. The climb ends at the first rate above the answer, or at the highest allowed rate.
 */
const climbTo = (answer: number, terms: SearchTerms, most: number): readonly StepRequest[] => {
  const rates: number[] = [];
  let rate = Math.min(terms.start, most);
  for (;;) {
    rates.push(rate);
    if (rate > answer || rate >= most) break;
    rate = Math.min(most, 2 * rate);
  }
  return rates.map((each) => climbStepFor(each, terms));
};

/**
 * Returns the requests and the seconds of load that a search needs if it finds the rate `answer`. `around` is the
 * number of steps near the answer. If the answer is the declared limit, the search takes no steps near it.
 */
const needFor = (answer: number, terms: SearchTerms, most: Highest, around: number): Need => {
  const climb = climbTo(answer, terms, most.rate);
  const isLimit = most.isDeclared && answer >= most.rate;
  const border = isLimit ? [] : Array.from({ length: around }, () => borderStepFor(answer, terms));
  return needOf([...climb, ...border]);
};

const fits = (need: Need, budget: SearchBudget): boolean =>
  need.requests <= budget.requests && need.seconds <= budget.seconds;

/**
 * Returns rates that the search may find, from the first rate to the highest allowed rate. Neighbouring rates differ by
 * 10 %.
 */
const answersUpTo = ({ rate: most }: Highest, { start }: SearchTerms): readonly number[] => {
  const first = Math.min(start, most);
  const count = Math.ceil(Math.log(most / first) / Math.log(1.1));
  return [...Array.from({ length: count }, (_, i) => first * 1.1 ** i), most];
};

const rounded = (rate: number): string => perSecondText(Number(rate.toPrecision(2)));

/** Formats a rough value with two significant digits. */
export const coarseText = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: 2 });

/** Rough times are rounded up. Each row has a unit in s, and the longest time in s that is rounded to this unit. */
const coarseUnits = [
  [10, 120],
  [60, 7200],
  [600, 36_000],
  [3600, Infinity],
] as const;

const coarseTimeText = (seconds: number): string => {
  const [unit] = coarseUnits.find(([, most]) => seconds <= most)!;
  return timeText(Math.ceil(seconds / unit) * unit * 1000);
};

const needText = ({ requests, seconds }: Need): string =>
  `about ${coarseText(requests)} requests in ${coarseTimeText(seconds)}`;

const rejectUnfit = (needs: readonly Need[], budget: SearchBudget): void => {
  if (needs.some((need) => fits(need, budget))) return;
  const inTime = needs.filter(({ seconds }) => seconds <= budget.seconds);
  if (inTime.length === 0) {
    const seconds = Math.min(...needs.map((need) => need.seconds));
    throw new Problem(
      `--time: no search from this first rate fits in ${timeText(budget.seconds * 1000)}: give at least ${timeText(seconds * 1000)}, or a higher --start`,
    );
  }
  const requests = Math.min(...inTime.map((need) => need.requests));
  throw new Problem(
    `--requests: no search fits in ${countText(budget.requests)} requests: give at least ${countText(requests)}`,
  );
};

/**
 * Says, before anything is sent, for which range of answers a budget is enough. Throws a `Problem` if no search fits in
 * the budget.
 */
export const budgetRange = (terms: SearchTerms, budget: SearchBudget, most: Highest): string => {
  const answers = answersUpTo(most, terms);
  const needsOf = (around: number): readonly Need[] =>
    answers.map((answer) => needFor(answer, terms, most, around));
  rejectUnfit(needsOf(borderSteps.fewest), budget);
  const needs = needsOf(usualSteps(terms));
  const enough = answers.flatMap((answer, i) => (fits(needs[i]!, budget) ? [answer] : []));
  const [lowest, highest] = [enough[0], enough.at(-1)];
  const limit = most.isDeclared ? `; at the declared limit, ${needText(needs.at(-1)!)}` : '';
  if (lowest === undefined || highest === undefined) {
    const least = needs.toSorted((a, b) => a.requests - b.requests)[0]!;
    return `This is less than what a search usually needs (${needText(least)}): expect a wide interval`;
  }
  if (lowest >= most.rate && !most.isDeclared) {
    return `This is enough if ${rounded(most.rate)}, the highest rate to try, is kept (${needText(needs.at(-1)!)}), and else for a wide interval`;
  }
  if (lowest >= most.rate) {
    return `This is enough if the declared limit of ${rounded(most.rate)} is kept (${needText(needs.at(-1)!)}), and else for a wide interval`;
  }
  return `This is usually enough for an answer between ${rounded(lowest)} (${needText(needs[answers.indexOf(lowest)]!)}) and ${rounded(highest)} (${needText(needs[answers.indexOf(highest)]!)})${limit}; any other has a wider interval`;
};
