import yargs, { type Argv } from 'yargs';
import { weirVersion } from '../platform/machine.ts';
import { addCalibrate } from './add-calibrate.ts';
import { addHistory } from './add-history.ts';
import { addCompare } from './add-compare.ts';
import { addPlanning } from './add-planning.ts';
import { addRun } from './add-run.ts';
import { addCapacity } from './capacity-options.ts';
import type { ExitName } from './exit-codes.ts';
import { historyOption, keepingFrom } from './history-options.ts';
import { limitsOptions } from './limits-options.ts';
import { mockOptions, scenarioOptions, sourceFrom, UsageProblem } from './options.ts';
import { checkValues, type KnownOptions, optionsOf } from './known-options.ts';
import { checkVerb, helpAsOption, listed, verbs } from './verbs.ts';
import { inOwnWords } from './usage-words.ts';
import { reportOptions, tellingFrom, tellingOptions } from './report-options.ts';

const reported = {
  type: 'string',
  demandOption: true,
  describe: 'A result.json, the checkpoint.jsonl of a killed run, or the folder of either',
} as const;

const addReading = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli
    .command(
      'validate [scenario]',
      'Check a scenario and list everything wrong with it',
      (builder) =>
        scenarioOptions(builder).option('json', {
          type: 'boolean',
          default: false,
          group: 'Output:',
          describe: 'Print the complete plan as JSON',
        }),
      async (given) => {
        const { validate } = await import('./validate.ts');
        ended(await validate(sourceFrom(given), given.json));
      },
    )
    .command(
      'report <result>',
      'Write the reports of a stored result again',
      (builder) =>
        reportOptions(builder).positional('result', reported).option('out', {
          type: 'string',
          group: 'Output:',
          describe: 'Folder for the reports [that of the result]',
        }),
      async (given) => {
        const { report } = await import('./report.ts');
        ended(await report(given.result, given.out, tellingFrom(given)));
      },
    )
    .command(
      'merge <results..>',
      'Join the results of the slices of one run',
      (builder) =>
        historyOption(reportOptions(builder))
          .positional('results', { type: 'string', array: true, demandOption: true })
          .option('out', {
            type: 'string',
            demandOption: true,
            group: 'Output:',
            describe: 'Folder for the joined result and its reports',
          }),
      async (given) => {
        const { merge } = await import('./merge.ts');
        ended(await merge(given.results, given.out, keepingFrom(given)));
      },
    );

const addLimits = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli.command(
    'limits [scenario]',
    'Examine the rate limits of one idle key, and prove what is found',
    (builder) => limitsOptions(tellingOptions(builder)),
    async (given) => {
      const { limits } = await import('./limits.ts');
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

const addServing = (cli: Argv, ended: (exit: ExitName) => void): Argv =>
  cli
    .command('mock [scenario]', 'Start the reference gateway', mockOptions, async (given) => {
      const { mock } = await import('./mock.ts');
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
        const { printSchema, writeSchemas } = await import('./schema.ts');
        ended(given.write ? await writeSchemas() : printSchema(given.subject));
      },
    );

/** `--json -` is what other tools call it; to standard output is the only place that `--json` knows. */
const plainJson = (words: readonly string[]): string[] =>
  words.filter((word, i) => !(word === '-' && words[i - 1] === '--json'));

/** The verbs, in the order in which the help tells them. */
const adders: readonly ((cli: Argv, ended: (exit: ExitName) => void) => Argv)[] = [
  addRun,
  addCompare,
  addHistory,
  addLimits,
  addCapacity,
  addCalibrate,
  addPlanning,
  addReading,
  addServing,
  addHelp,
];

/** What the parser complains of, in its words. */
class Complaint extends Error {
  readonly known: KnownOptions;
  constructor(message: string, known: KnownOptions) {
    super(message);
    this.known = known;
  }
}

/** Reads the command line and carries out its verb. Throws `UsageProblem` and `Problem`; anything else is a defect. */
export const program = async (line: readonly string[]): Promise<ExitName> => {
  const words = helpAsOption(line);
  checkVerb(words[0]);
  let exit: ExitName = 'pass';
  const ended = (end: ExitName): void => {
    exit = end;
  };
  const cli = yargs(plainJson(words))
    .scriptName('weir')
    .usage('$0 VERB\n\nLoad testing for OpenAI-compatible inference gateways.')
    .version(weirVersion())
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, process.stderr.columns ?? 100))
    .locale('en')
    .strict()
    .demandCommand(1, `expected a verb: ${listed(verbs)}`)
    .exitProcess(false)
    .showHelpOnFail(false)
    .check((given) => {
      checkValues(given, optionsOf(cli));
      return true;
    })
    .fail((message, error: Error | undefined) => {
      // The parser throws some of its complaints itself.
      if (error === undefined || error.name === 'YError') {
        throw new Complaint(message, optionsOf(cli));
      }
      throw error;
    });
  const added = adders.reduce((so, add) => add(so, ended), cli);
  added
    .example('$0 run scenarios/quickstart.yaml', 'the embedded gateway, half a minute')
    .example('$0 run --target https://host/v1 --model a/b --rate 5/s --duration 30s', '');
  try {
    await added.parseAsync();
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    // Only here, since the schema is the greatest part of what a start can load.
    const { scenarioSchema } = await import('../scenario/schema.ts');
    const keys = Object.keys(scenarioSchema.shape);
    throw new UsageProblem(inOwnWords(error.message, words, { ...error.known, keys }));
  }
  return exit;
};
