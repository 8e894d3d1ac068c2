import yargs, { type Argv } from 'yargs';
import { weirVersion } from '../platform/host/machine.ts';
import { addCalibrate } from './commands/add-calibrate.ts';
import { addHistory } from './commands/add-history.ts';
import { addCompare } from './commands/add-compare.ts';
import { addInitAndPlan } from './commands/add-init-and-plan.ts';
import { addRun } from './commands/add-run.ts';
import { addCapacity } from './commands/add-capacity.ts';
import type { ExitName } from '../run/output/exit-codes.ts';
import { historyOption, outputAndHistoryFrom } from './options/history-options.ts';
import { limitsOptions } from './options/limits-options.ts';
import {
  withMockOptions,
  withScenarioOptions,
  planSourceFrom,
  UsageProblem,
} from './options/scenario-options.ts';
import { checkValues, type KnownOptions, optionsOf } from './options/known-options.ts';
import { checkVerb, helpAsOption, orList, verbs } from './options/verbs.ts';
import { explainUsageError } from './options/usage-errors.ts';
import {
  withReportOptions,
  outputOptionsFrom,
  withOutputOptions,
} from './options/output-options.ts';

const resultPositional = {
  type: 'string',
  demandOption: true,
  describe: 'A result.json, the checkpoint.jsonl of a killed run, or the folder of either',
} as const;

const addResultVerbs = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli
    .command(
      'validate [scenario]',
      'Check a scenario and list everything wrong with it',
      (builder) =>
        withScenarioOptions(builder).option('json', {
          type: 'boolean',
          default: false,
          group: 'Output:',
          describe: 'Print the complete plan as JSON',
        }),
      async (given) => {
        const { validate } = await import('./verbs/validate.ts');
        ended(await validate(planSourceFrom(given), given.json));
      },
    )
    .command(
      'report <result>',
      'Write the reports of a stored result again',
      (builder) =>
        withReportOptions(builder).positional('result', resultPositional).option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for the reports [that of the result]',
        }),
      async (given) => {
        const { report } = await import('./verbs/report.ts');
        ended(await report(given.result, given.out, outputOptionsFrom(given)));
      },
    )
    .command(
      'merge <results..>',
      'Join the results of the slices of one run',
      (builder) =>
        historyOption(withReportOptions(builder))
          .positional('results', { type: 'string', array: true, demandOption: true })
          .option('out', {
            type: 'string',
            demandOption: true,
            group: 'Output:',
            describe: 'Folder for the joined result and its reports',
          }),
      async (given) => {
        const { merge } = await import('./verbs/merge.ts');
        ended(await merge(given.results, given.out, outputAndHistoryFrom(given)));
      },
    );

const addLimits = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'limits [scenario]',
    'Examine the rate limits of one idle key, and prove what is found',
    (builder) => limitsOptions(withOutputOptions(builder)),
    async (given) => {
      const { limits } = await import('./verbs/limits.ts');
      ended(
        await limits({
          scenario: given.scenario,
          target: given.target,
          set: given.set,
          key: given.key,
          secondKey: given.secondKey,
          model: given.model,
          window: given.window,
          permitted: given.class,
          checks: given.checks,
          price: given.price,
          quick: given.quick,
          yes: given.yes,
          out: given.out,
          json: given.json,
          quiet: given.quiet,
        }),
      );
    },
  );

/** For the list of verbs alone: what it does, `helpAsOption` does. */
const addHelp = (cli: Argv): Argv => cli.command('help [verb]', 'Tell what a verb takes');

const addMockAndSchema = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli
    .command('mock [scenario]', 'Start the reference gateway', withMockOptions, async (given) => {
      const { mock } = await import('./verbs/mock.ts');
      ended(await mock(given));
    })
    .command(
      'schema [subject]',
      'Print the JSON Schema of scenario files or results',
      (builder) =>
        builder
          .positional('subject', {
            choices: ['scenario', 'result'] as const,
            default: 'scenario' as const,
          })
          .option('write', {
            type: 'boolean',
            default: false,
            hidden: true,
            describe: 'Write both to their places in a checkout',
          }),
      async (given) => {
        const { printSchema, writeSchemas } = await import('./verbs/schema.ts');
        ended(given.write ? await writeSchemas() : printSchema(given.subject));
      },
    );

/** `--json -` is what other tools call it; to standard output is the only place that `--json` knows. */
const dropJsonDash = (cliArguments: readonly string[]): string[] =>
  cliArguments.filter((word, i) => !(word === '-' && cliArguments[i - 1] === '--json'));

/** The verbs, in the order in which the help tells them. */
const verbAdders: readonly ((cli: Argv, ended: (exit: ExitName) => void) => Argv)[] = [
  addRun,
  addCompare,
  addHistory,
  addLimits,
  addCapacity,
  addCalibrate,
  addInitAndPlan,
  addResultVerbs,
  addMockAndSchema,
  addHelp,
];

/** What the parser complains of, in its words. */
class ParserError extends Error {
  readonly known: KnownOptions;
  constructor(message: string, known: KnownOptions) {
    super(message);
    this.known = known;
  }
}

/** Reads the command line and carries out its verb. Throws `UsageProblem` and `Problem`; anything else is a defect. */
export const program = async (commandLine: readonly string[]): Promise<ExitName> => {
  const cliArguments = helpAsOption(commandLine);
  checkVerb(cliArguments[0]);
  let exit: ExitName = 'pass';
  const ended = (verbExit: ExitName): void => {
    exit = verbExit;
  };
  const cli = yargs(dropJsonDash(cliArguments))
    .scriptName('weir')
    .usage('$0 VERB\n\nLoad testing for OpenAI-compatible inference gateways.')
    .version(weirVersion())
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, process.stderr.columns ?? 100))
    .locale('en')
    .strict()
    .demandCommand(1, `expected a verb: ${orList(verbs)}`)
    .exitProcess(false)
    .showHelpOnFail(false)
    .check((given) => {
      checkValues(given, optionsOf(cli));
      return true;
    })
    .fail((message, error: Error | undefined) => {
      // The parser throws some of its complaints itself.
      if (error === undefined || error.name === 'YError') {
        throw new ParserError(message, optionsOf(cli));
      }
      throw error;
    });
  const added = verbAdders.reduce((parserSoFar, add) => add(parserSoFar, ended), cli);
  added
    .example('$0 run scenarios/quickstart.yaml', 'the embedded gateway, half a minute')
    .example('$0 run --target https://host/v1 --model a/b --rate 5/s --duration 30s', '');
  try {
    await added.parseAsync();
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    // Only here, since the schema is the greatest part of what a start can load.
    const { scenarioSchema } = await import('../scenario/schema/scenario-schema.ts');
    const keys = Object.keys(scenarioSchema.shape);
    throw new UsageProblem(
      explainUsageError(error.message, cliArguments, { ...error.known, keys }),
    );
  }
  return exit;
};
