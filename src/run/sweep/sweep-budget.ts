import { totalNeed } from '../../engine/forecast/needs-tally.ts';
import type { ForecastAmount } from '../../model/plan/forecast.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { amountText } from '../../report/run/forecast-document.ts';
import { countText, moneyText, plural, timeText } from '../../report/text/number-text.ts';
import type { ReadSweep } from './sweep-points.ts';

const times = ({ sum, basis, unknown }: ForecastAmount, count: number): ForecastAmount => ({
  sum: sum * count,
  basis,
  unknown: unknown * count,
});

/** The points, and what their runs need in requests, tokens, money and minutes, as lines. */
export const sweepPlanLines = (
  { variables, points, warnings }: ReadSweep,
  repetitions: number,
  pauseLength: Milliseconds,
): readonly string[] => {
  const runs = points.length * repetitions;
  const need = totalNeed(points.flatMap(({ forecast }) => forecast.groups));
  const [requests, input, output, cost] = [need.requests, need.input, need.output, need.cost].map(
    (amount) => times(amount, repetitions),
  );
  const load = points.reduce((sum, { forecast }) => sum + forecast.scheduled, 0) * repetitions;
  const longestGrace = Math.max(...points.map(({ forecast }) => forecast.grace));
  const { answerTime } = points[0]!.forecast;
  const product = variables.map(({ values }) => values.length).join(' × ');
  const order = runs === 1 ? '' : `, in random order (seed ${points[0]!.plan.seed})`;
  const width = Math.max(...variables.map(({ path }) => path.length));
  const pauses = pauseLength > 0 && runs > 1 ? ` with pauses of ${timeText(pauseLength)}` : '';
  const assumed = answerTime === null ? '' : `, if an answer takes ${timeText(answerTime)}`;
  const budget = [
    `${amountText(requests!, countText)} requests${assumed}`,
    `tokens: ${amountText(input!, countText)} in, ${amountText(output!, countText)} out`,
    `cost: ${amountText(cost!, (sum) => moneyText(Math.ceil(sum)))}`,
    `${timeText(load + pauseLength * (runs - 1))} of load${pauses}, and at most ${timeText(longestGrace)} after each run for the last answers`,
  ];
  return [
    `Sweep: ${product}${variables.length > 1 ? ` = ${points.length}` : ''} points, ${plural(repetitions, 'run')} each${order}`,
    ...variables.map(({ path, values }) => `  ${path.padEnd(width)}  ${values.join(', ')}`),
    `Budget: ${budget.join('; ')}.`,
    ...warnings,
  ];
};
