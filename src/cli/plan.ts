import { type Milliseconds, milliseconds } from '../model/quantity.ts';
import { Problem } from '../platform/problem.ts';
import { forecastTerminal } from '../report/terminal/forecast-terminal.ts';
import { duration } from '../scenario/notation.ts';
import type { ExitName } from './exit-codes.ts';
import { forecastOf, usualAnswerTime } from './forecast.ts';
import { type PlanSource, readPlanWithFiles } from './read-plan.ts';
import { stdoutLook, toStdout } from './streams.ts';

const answerTimeOf = (text: string | undefined): Milliseconds => {
  if (text === undefined) return usualAnswerTime;
  const length = duration.read(text);
  if (length !== null && length >= 1) return milliseconds(length);
  throw new Problem(`--answer-time: expected ${duration.expected}, at least 1ms; got ${text}`);
};

/** Tells what a scenario will take; the target is not asked. */
export const plan = async (
  source: PlanSource,
  asked: { readonly answerTime: string | undefined; readonly json: boolean },
): Promise<ExitName> => {
  const read = await readPlanWithFiles(source);
  const forecast = forecastOf({ ...read, answerTime: answerTimeOf(asked.answerTime) });
  toStdout(
    asked.json
      ? JSON.stringify(forecast, null, 2)
      : forecastTerminal(forecast, read.plan, stdoutLook()),
  );
  return 'pass';
};
