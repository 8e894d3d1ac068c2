import type { ForecastAmount, ResourceNeed } from '../../model/plan/forecast.ts';
import { sendsToAddress } from '../../model/plan/targets.ts';
import { OverBudget } from '../../platform/problem.ts';
import { budgetNeedText, needText } from '../../report/run/forecast-document.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import { answerTimeFrom, forecastOf } from '../../run/forecast.ts';
import { confirmUnlessStopped } from '../../run/input/confirm-unless-stopped.ts';
import type { Host } from '../../run/input/host.ts';
import type { ReadPlanWithFiles } from '../../run/input/read-plan.ts';

const twice = ({ sum, basis, unknown }: ForecastAmount): ForecastAmount => ({
  sum: 2 * sum,
  basis,
  unknown: 2 * unknown,
});

const twiceAll = ({ requests, input, output, cost }: ResourceNeed): ResourceNeed => ({
  requests: twice(requests),
  input: twice(input),
  output: twice(output),
  cost: twice(cost),
});

/**
 * Says what both sides will be sent, and asks for consent. Throws a `Problem` if the user refuses, or if both sides
 * together exceed the scenario's budget. Reference gateways in this process cost nothing.
 */
export const agreeOnPairs = async (
  reads: readonly [base: ReadPlanWithFiles, next: ReadPlanWithFiles],
  yes: boolean,
  host: Host,
): Promise<void> => {
  const { total, scheduled, attempts, budget } = forecastOf(reads[0], answerTimeFrom(undefined));
  const needs = twiceAll(total);
  const most =
    attempts === 1 ? '' : `, ${countText(needs.requests.sum * attempts)} with all retries`;
  host.printer.say(
    `Budget of both sides: ${needText(needs)}; ${timeText(scheduled)} of load${most}.`,
  );
  if (yes) return;
  for (const { unit, cap, need } of budget)
    if (2 * need.sum > cap)
      throw new OverBudget(
        `budget.${unit} is ${countText(cap)}, and both sides together need ${budgetNeedText(unit, twice(need))}: raise it or send less; --yes sends until it is spent`,
      );
  if (reads.some(({ plan }) => sendsToAddress(plan)))
    await confirmUnlessStopped(host, 'nothing was sent to either side');
};
