import {
  type DeclaredLimits,
  limiterClassNames,
  type ProbePhase,
  probePhases,
} from '../model/limit-log.ts';
import type { Plan } from '../model/plan.ts';
import { type Milliseconds, milliseconds } from '../model/quantity.ts';
import { Problem } from '../platform/problem.ts';
import { duration } from '../scenario/notation.ts';
import { readPlan } from './read-plan.ts';

/** What `weir limits` was asked. */
export interface LimitsOrder {
  /** A scenario for its target, keys, headers and limits. */
  readonly scenario: string | undefined;
  readonly target: string | undefined;
  readonly set: readonly string[];
  /** Names of environment variables that hold keys. */
  readonly key: string | undefined;
  readonly secondKey: string | undefined;
  readonly model: string | undefined;
  readonly window: string | undefined;
  readonly permitted: string | undefined;
  readonly checks: string | undefined;
  readonly price: string | undefined;
  readonly quick: boolean;
  readonly yes: boolean;
  readonly out: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

const phaseNames = Object.keys(probePhases) as readonly ProbePhase[];

/** A list of words of a closed set; `all` where none was given. */
const wordsOf = <Word extends string>(
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

const windowOf = (text: string | undefined): Milliseconds => {
  const length = text === undefined ? milliseconds(60_000) : duration.read(text);
  if (length !== null && length > 0) return length;
  throw new Problem(`--window: expected ${duration.expected}; got ${text ?? ''}`);
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

/** A plan that only says whom to ask: its traffic is not used. */
export const planOf = async (order: LimitsOrder): Promise<{ plan: Plan; folder: string }> => {
  const { scenario, target, key, secondKey } = order;
  if (scenario === undefined && target === undefined) {
    throw new Problem(
      'expected whom to examine: --target https://host/v1, --target mock, or a scenario file',
    );
  }
  const variable = (name: string): string => `\${env:${name}}`;
  const keys =
    key === undefined && secondKey === undefined
      ? []
      : [
          `keys=${JSON.stringify([
            { name: 'first', key: variable(key ?? 'WEIR_API_KEY') },
            ...(secondKey === undefined ? [] : [{ name: 'second', key: variable(secondKey) }]),
          ])}`,
        ];
  return readPlan({
    scenario,
    target,
    flags: scenario === undefined ? { kind: 'models', rate: '1/s', duration: '1s' } : {},
    set: [...keys, ...order.set],
  });
};

const declaredOf = ({ limits }: Plan, order: LimitsOrder): DeclaredLimits => {
  const window = windowOf(order.window);
  if (limits.requestsPerMinute === null) {
    throw new Problem(
      'limits.requestsPerMinute: expected the limit that the gateway declares; got none. Give it with --set limits.requestsPerMinute=60',
    );
  }
  return {
    requests: { limit: limits.requestsPerMinute, window },
    tokens: limits.tokensPerMinute === null ? null : { limit: limits.tokensPerMinute, window },
    permitted: wordsOf('class', order.permitted, limiterClassNames),
  };
};

/** The parts of the examination that were asked for. */
const phasesOf = ({ quick, checks }: LimitsOrder): readonly ProbePhase[] =>
  quick ? ['provocation'] : wordsOf('checks', checks, phaseNames);

/** How a key is examined, as the command line says. */
export interface Examination {
  readonly declared: DeclaredLimits;
  readonly price: ReturnType<typeof priceOf>;
  readonly phases: readonly ProbePhase[];
}

/** Reads all options, and throws one `Problem` of everything that is wrong with them. */
export const examinationOf = (plan: Plan, order: LimitsOrder): Examination => {
  const problems: string[] = [];
  const tried = <Value>(read: () => Value): Value | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  tried(() => windowOf(order.window));
  tried(() => wordsOf('class', order.permitted, limiterClassNames));
  const price = tried(() => priceOf(order.price));
  const phases = tried(() => phasesOf(order));
  const declared = problems.length === 0 ? tried(() => declaredOf(plan, order)) : null;
  if (declared !== null && phases !== null) return { declared, price, phases };
  throw new Problem(problems.join('\n'));
};
