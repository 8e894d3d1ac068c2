import { totalNeed } from '../../engine/forecast/needs-tally.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { amountText } from '../../report/run/forecast-document.ts';
import { countText, moneyText, plural, timeText } from '../../report/text/number-text.ts';
import type { ReadSweep } from './sweep-points.ts';

/** The points, and what their runs need in requests, tokens, money and minutes, as lines. */
export const sweepPlanLines = (
  { variables, points, warnings }: ReadSweep,
  repetitions: number,
  pauseLength: Milliseconds,
): readonly string[] => {
  const forecasts = points.flatMap((point) => point.forecasts);
  const runs = forecasts.length;
  const { requests, input, output, cost } = totalNeed(forecasts.flatMap(({ groups }) => groups));
  const load = forecasts.reduce((sum, { scheduled }) => sum + scheduled, 0);
  const longestGrace = Math.max(...forecasts.map(({ grace }) => grace));
  const { answerTime } = forecasts[0]!;
  const product = variables.map(({ values }) => values.length).join(' × ');
  const order = runs === 1 ? '' : `, in random order (seed ${points[0]!.plan.seed})`;
  const width = Math.max(...variables.map(({ path }) => path.length));
  const pauses = pauseLength > 0 && runs > 1 ? ` with pauses of ${timeText(pauseLength)}` : '';
  const assumed = answerTime === null ? '' : `, if an answer takes ${timeText(answerTime)}`;
  const budget = [
    `${amountText(requests, countText)} ${requests.sum === 1 ? 'request' : 'requests'}${assumed}`,
    `tokens: ${amountText(input, countText)} in, ${amountText(output, countText)} out`,
    `cost: ${amountText(cost, (sum) => moneyText(Math.ceil(sum)))}`,
    `${timeText(load + pauseLength * (runs - 1))} of load${pauses}, and at most ${timeText(longestGrace)} after each run for the last answers`,
  ];
  return [
    `Sweep: ${variables.length > 1 ? `${product} = ` : ''}${plural(points.length, 'point')}, ${plural(repetitions, 'run')} each${order}`,
    ...variables.map(({ path, values }) => `  ${path.padEnd(width)}  ${values.join(', ')}`),
    `Budget: ${budget.join('; ')}.`,
    ...warnings,
  ];
};
