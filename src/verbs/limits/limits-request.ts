import {
  type DeclaredLimits,
  limiterClassNames,
  type ProbePhase,
  probePhases,
} from '../../model/limits/limit-log.ts';
import { defaultSustain } from './experiment/probe-budget.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { Problem } from '../../platform/problem.ts';
import { durationNotation } from '../../scenario/schema/notation.ts';
import type { TargetRequest } from '../../run/target/target-plan.ts';
import { bounded, readOption } from '../../run/input/read-option.ts';

export interface LimitsRequest extends TargetRequest {
  readonly model: string | undefined;
  readonly window: string | undefined;
  readonly permitted: string | undefined;
  readonly checks: string | undefined;
  readonly price: string | undefined;
  /** The number of windows that the sustained load lasts, as given to `--sustain`. */
  readonly sustain: string | undefined;
  readonly quick: boolean;
  /** Whether the report shows which decisions distinguish the named limiter from the next best. */
  readonly explain: boolean;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const phaseNames = Object.keys(probePhases) as readonly ProbePhase[];

/** Parses a list of words from a fixed set; returns `all` if the option is absent. */
const readList = <Word extends string>(
  option: string,
  text: string | undefined,
  all: readonly Word[],
): readonly Word[] => {
  if (text === undefined) return all;
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.filter((word) => !(all as readonly string[]).includes(word));
  if (unknown.length > 0) {
    throw new Problem(
      `--${option}: expected some of ${all.join(', ')}, separated by commas; got ${unknown.join(', ')}`,
    );
  }
  return all.filter((word) => words.includes(word));
};

/** Prices for a million tokens, in micro-units. */
const priceOf = (text: string | undefined): { input: number; output: number } | null => {
  if (text === undefined) return null;
  const [, input, output] = /^(\d+(?:\.\d{1,6})?)\/(\d+(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined) {
    throw new Problem(
      `--price: expected the prices of a million tokens of input and of output, such as 0.15/0.60; got ${text}`,
    );
  }
  return { input: Math.round(Number(input) * 1e6), output: Math.round(Number(output) * 1e6) };
};

const maxSustain = 60;

const sustainOf = (text: string | undefined): number => {
  if (text === undefined) return defaultSustain;
  const windows = Number(text);
  if (!/^\d+$/.test(text) || windows > maxSustain) {
    throw new Problem(
      `--sustain: expected a number of windows from 0 to ${maxSustain}; got ${text}`,
    );
  }
  return windows;
};

export interface ExaminationSettings {
  readonly declared: DeclaredLimits;
  readonly price: ReturnType<typeof priceOf>;
  readonly phases: readonly ProbePhase[];
  readonly sustain: number;
}

/** Reads all options; throws one `Problem` that lists everything wrong with them. */
export const examinationSettingsFrom = (
  { limits: { requestsPerMinute, tokensPerMinute } }: Plan,
  {
    window: windowText = '60s',
    permitted: permittedText,
    quick,
    checks,
    price,
    sustain,
  }: LimitsRequest,
): ExaminationSettings => {
  const problems: string[] = [];
  const collectProblem = <Value>(read: () => Value): Value | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  const windowNotation = bounded(durationNotation, (length) => length > 0);
  const window = collectProblem(() => readOption('window', windowText, windowNotation));
  const permitted = collectProblem(() => readList('class', permittedText, limiterClassNames));
  const readPrice = collectProblem(() => priceOf(price));
  const windows = collectProblem(() => sustainOf(sustain));
  const phases = quick
    ? (['provocation'] as const)
    : collectProblem(() => readList('checks', checks, phaseNames));
  if (problems.length === 0 && requestsPerMinute === null) {
    problems.push(
      'limits.requestsPerMinute: expected the limit that the gateway declares; got none. Pass it with --set limits.requestsPerMinute=60',
    );
  }
  if (
    window === null ||
    permitted === null ||
    phases === null ||
    windows === null ||
    requestsPerMinute === null ||
    problems.length > 0
  ) {
    throw new Problem(problems.join('\n'));
  }
  const tokens = tokensPerMinute === null ? null : { limit: tokensPerMinute, window };
  const declared = { requests: { limit: requestsPerMinute, window }, tokens, permitted };
  const isSustained = (phase: ProbePhase): boolean => phase !== 'sustained' || windows > 0;
  return { declared, price: readPrice, phases: phases.filter(isSustained), sustain: windows };
};
