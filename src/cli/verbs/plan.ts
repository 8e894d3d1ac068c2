import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import { forecastTerminal } from '../../report/terminal/forecast-terminal.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { forecastOf, defaultAnswerTime } from '../../run/forecast.ts';
import { type PlanSource, readPlanWithFiles } from '../../run/input/read-plan.ts';
import { stdoutStyle, toStdout } from '../../platform/standard-streams.ts';

const answerTimeOf = (text: string | undefined): Milliseconds => {
  if (text === undefined) return defaultAnswerTime;
  const length = durationNotation.read(text);
  if (length !== null && length >= 1) return milliseconds(length);
  throw new Problem(
    `--answer-time: expected ${durationNotation.expected}, at least 1ms; got ${text}`,
  );
};

/** Tells what a scenario will take; the target is not asked. */
export const plan = async (
  source: PlanSource,
  options: { readonly answerTime: string | undefined; readonly json: boolean },
): Promise<ExitName> => {
  const readScenario = await readPlanWithFiles(source);
  const forecast = forecastOf({ ...readScenario, answerTime: answerTimeOf(options.answerTime) });
  toStdout(
    options.json
      ? JSON.stringify(forecast, null, 2)
      : forecastTerminal(forecast, readScenario.plan, stdoutStyle()),
  );
  return 'pass';
};
