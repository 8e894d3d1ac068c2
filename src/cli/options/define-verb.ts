import type { InferredOptionType, Options } from 'yargs';
import type { ExitName } from '../../run/output/exit-codes.ts';

/** An error in the command line. The message says what was expected. */
export class UsageProblem extends Error {}

/** A verb's options by name, in the order of the help. */
export type OptionTable = Readonly<Record<string, Options>>;

/** The heading in the help for arguments without a `--name`. */
export const positionals = 'Positionals:';

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type Given<Table extends OptionTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: InferredOptionType<Table[Name]>;
};

export interface PublishedSchema {
  readonly path: string;
  readonly make: () => Promise<object>;
}

export interface Verb {
  readonly options: OptionTable;
  /**
   * Whether the words after `--` are the command line of another program. For other verbs, these words are arguments.
   */
  readonly takesCommand?: true;
  /** The verbs within this verb, which also accept its options. */
  readonly subcommands?: Readonly<
    Record<string, { readonly summary: string; readonly verb: Verb }>
  >;
  readonly schema?: PublishedSchema;
  run(given: object): Promise<ExitName>;
}

export const defineVerb = <const Table extends OptionTable>(
  verb: Pick<Verb, 'schema' | 'subcommands' | 'takesCommand'> & {
    readonly options: Table;
    run(given: Given<Table>): Promise<ExitName>;
  },
): Verb => verb;

export const inGroup = <const Table extends OptionTable>(group: string, table: Table): Table =>
  Object.fromEntries(
    Object.entries(table).map(([name, option]) => [name, { ...option, group }]),
  ) as unknown as Table;

export const textOption = (describe: string) => ({ type: 'string', describe }) as const;

export const switchOption = (describe: string) =>
  ({ type: 'boolean', default: false, describe }) as const;

/**
 * `--no-preflight` skips the preflight check, which asks the target for its models before the verb sends anything else.
 */
export const preflightOption = {
  preflight: {
    type: 'boolean',
    default: true,
    describe: 'Ask the target for its models first; disable with --no-preflight',
  },
} as const;

/** Defines an option that takes one value and may be given several times. */
export const listOption = (describe: string) =>
  ({ type: 'string', array: true, nargs: 1, default: [] as string[], describe }) as const;

export const severalOption = (describe: string) =>
  ({ type: 'string', array: true, default: [] as string[], describe }) as const;
