import yargs, { type Argv } from 'yargs';
import { weirVersion } from '../platform/machine.ts';
import { didYouMean } from '../scenario/spelling.ts';
import { addCalibrate } from './add-calibrate.ts';
import { addHistory } from './add-history.ts';
import { addCompare } from './add-compare.ts';
import { addPlanning } from './add-planning.ts';
import { addRun } from './add-run.ts';
import { addCapacity } from './capacity-options.ts';
import type { ExitName } from './exit-codes.ts';
import { historyOption, keepingFrom } from './history-options.ts';
import { limitsOptions } from './limits-options.ts';
import { mockOptions, once, scenarioOptions, sourceFrom, UsageProblem } from './options.ts';
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
        ended(await report(given.result, once(given.out), tellingFrom(given)));
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
        ended(await merge(given.results, once(given.out) ?? '.', keepingFrom(given)));
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
          target: once(given.target),
          set: given.set,
          key: once(given.key),
          secondKey: once(given.secondKey),
          model: once(given.model),
          window: once(given.window),
          permitted: once(given.class),
          checks: once(given.checks),
          price: once(given.price),
          quick: given.quick,
          yes: given.yes,
          out: once(given.out),
          json: given.json,
          quiet: given.quiet,
        }),
      );
    },
  );

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

const verbs = [
  'init',
  'plan',
  'run',
  'compare',
  'history',
  'limits',
  'capacity',
  'calibrate',
  'validate',
  'report',
  'merge',
  'mock',
  'schema',
];

/** The parser speaks of an unknown argument, which tells nobody that a verb was expected. */
const checkVerb = (word: string | undefined): void => {
  if (word === undefined || word.startsWith('-') || verbs.includes(word)) return;
  const near = didYouMean(word, verbs);
  const expected = `expected ${listed(verbs)}`;
  throw new UsageProblem(
    `unknown verb "${word}": ${near === null ? expected : `${near} If not, ${expected}`}`,
  );
};

const listed = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** `--json -` is what other tools call it; to standard output is the only place that `--json` knows. */
const plainJson = (words: readonly string[]): string[] =>
  words.filter((word, i) => !(word === '-' && words[i - 1] === '--json'));

/** The one option that means something without its value: where to push, the environment says. */
const mayBeBare = 'otlp';

/** `weir help run` is `weir run --help`. */
const helpAsOption = (words: readonly string[]): readonly string[] =>
  words[0] === 'help' ? [...words.slice(1), '--help'] : words;

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
];

/** What the parser knows and its types do not tell. */
interface Parser {
  getOptions(): {
    readonly key: Readonly<Record<string, boolean>>;
    readonly hiddenOptions: readonly string[];
  };
}

/** The options of the verb that is being read, as its help lists them. */
const optionNames = (cli: Argv & Partial<Parser>): readonly string[] => {
  const { key = {}, hiddenOptions = [] } = cli.getOptions?.() ?? {};
  return Object.keys(key).filter((name) => !hiddenOptions.includes(name));
};

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
    .recommendCommands()
    .exitProcess(false)
    .showHelpOnFail(false)
    .check((given) => {
      const bare = Object.keys(given).find((name) => given[name] === '' && name !== mayBeBare);
      if (bare !== undefined) throw new UsageProblem(`--${bare}: expected a value, got nothing`);
      return true;
    })
    .fail((message, error: Error | undefined) => {
      // The parser throws some of its complaints itself.
      if (error === undefined || error.name === 'YError') {
        throw new UsageProblem(inOwnWords(message, words, optionNames(cli)));
      }
      throw error;
    });
  const added = adders.reduce((so, add) => add(so, ended), cli);
  added
    .example('$0 run scenarios/quickstart.yaml', 'the embedded gateway, half a minute')
    .example('$0 run --target https://host/v1 --model a/b --rate 5/s --duration 30s', '');
  await added.parseAsync();
  return exit;
};
