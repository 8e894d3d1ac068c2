import yargs from 'yargs';
import { weirVersion } from '../platform/host/machine.ts';
import type { ExitName } from '../run/output/exit-codes.ts';
import { checkValues, type KnownOptions, optionsOf } from './options/known-options.ts';
import { type AddVerb, checkVerb, helpAsOption, orList, verbs } from './options/verbs.ts';
import { explainUsageError } from './options/usage-errors.ts';
import { UsageProblem } from './options/scenario-options.ts';
import { addCalibrate } from './verbs/calibrate.ts';
import { addCapacity } from './verbs/capacity.ts';
import { addCompare } from './verbs/compare.ts';
import { addHistory } from './verbs/history.ts';
import { addInit } from './verbs/init.ts';
import { addLimits } from './verbs/limits.ts';
import { addMerge } from './verbs/merge.ts';
import { addMock } from './verbs/mock.ts';
import { addPlan } from './verbs/plan.ts';
import { addReport } from './verbs/report.ts';
import { addRun } from './verbs/run.ts';
import { addSchema } from './verbs/schema.ts';
import { addValidate } from './verbs/validate.ts';

/** Only for the list of verbs: `helpAsOption` does the work. */
const addHelp: AddVerb = (cli) => cli.command('help [verb]', 'Show help for a command');

/** Other tools write `--json -` for standard output; `--json` always writes there. */
const dropJsonDash = (cliArguments: readonly string[]): string[] =>
  cliArguments.filter((word, i) => !(word === '-' && cliArguments[i - 1] === '--json'));

/** The verbs, in the order of the help. */
const verbAdders: readonly AddVerb[] = [
  addRun,
  addCompare,
  addHistory,
  addLimits,
  addCapacity,
  addCalibrate,
  addInit,
  addPlan,
  addValidate,
  addReport,
  addMerge,
  addMock,
  addSchema,
  addHelp,
];

/** A message of the parser, in its own words. */
class ParserError extends Error {
  readonly known: KnownOptions;
  constructor(message: string, known: KnownOptions) {
    super(message);
    this.known = known;
  }
}

/** Parses the command line and runs its verb. Throws `UsageProblem` and `Problem`; anything else is a bug. */
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
      // The parser throws some of its messages as errors.
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
    // Imported here, since the schema takes longest to load.
    const { scenarioSchema } = await import('../scenario/schema/scenario-schema.ts');
    const keys = Object.keys(scenarioSchema.shape);
    throw new UsageProblem(
      explainUsageError(error.message, cliArguments, { ...error.known, keys }),
    );
  }
  return exit;
};
