import type { Argv } from 'yargs';
import { UsageProblem } from './scenario-options.ts';

/** The only option with an optional value: without one, the environment says where to push. */
const valueOptional = 'otlp';

/** The options of the verb that is being read. */
export interface KnownOptions {
  readonly all: readonly string[];
  /** Options without a value. */
  readonly switches: readonly string[];
  /** Options that may be given several times. */
  readonly lists: readonly string[];
}

/** State of the parser that its types do not declare. */
interface Parser {
  getOptions(): {
    readonly key: Readonly<Record<string, boolean>>;
    readonly boolean: readonly string[];
    readonly array: readonly string[];
    readonly hiddenOptions: readonly string[];
  };
}

/** The options of the verb that is being read, as its help lists them. */
export const optionsOf = (cli: Argv & Partial<Parser>): KnownOptions => {
  const parserOptions = cli.getOptions?.();
  if (parserOptions === undefined) return { all: [], switches: [], lists: [] };
  return {
    all: Object.keys(parserOptions.key).filter(
      (name) => !parserOptions.hiddenOptions.includes(name),
    ),
    switches: parserOptions.boolean,
    lists: parserOptions.array,
  };
};

/** Throws a `UsageProblem` if an option has no value, or has several but takes one. */
export const checkValues = (
  parsed: Readonly<Record<string, unknown>>,
  { all, switches, lists }: KnownOptions,
): void => {
  const withoutValue = Object.keys(parsed).find(
    (name) => parsed[name] === '' && name !== valueOptional,
  );
  if (withoutValue !== undefined)
    throw new UsageProblem(`--${withoutValue}: expected a value, got nothing`);
  for (const name of all) {
    const value = parsed[name];
    if (value === false && !switches.includes(name)) {
      throw new UsageProblem(
        `--no-${name}: not supported; write --${name} with a value, or leave it out`,
      );
    }
    if (Array.isArray(value) && !lists.includes(name)) {
      throw new UsageProblem(`--${name}: expected one value, got ${value.length}: keep one`);
    }
  }
};
