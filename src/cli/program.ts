import type { Argv } from 'yargs';
import yargs from 'yargs/yargs';
import { weirVersion } from '../platform/host/machine.ts';
import type { ExitName } from '../run/output/exit-codes.ts';
import { type OptionTable, UsageProblem, type Verb } from './options/define-verb.ts';
import { completeLive } from './options/page-options.ts';
import { checkVerb, type Example, helpAsOption, orList, verbs, verbTable } from './verb-table.ts';
import { checkSwitches, checkValues, explainUsageError } from './usage-errors.ts';

/** Other tools write `--json -` for standard output; `--json` always writes there. */
const dropJsonDash = (words: readonly string[]): string[] =>
  words.filter((word, i) => !(word === '-' && words[i - 1] === '--json'));

/** The parser takes a negative number for options: here it is the value of the option before it, which may be refused. */
const joinNegatives = (words: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const word of words) {
    const option = joined.at(-1) ?? '';
    if (/^-\d/.test(word) && /^--[^=]+$/.test(option))
      joined[joined.length - 1] = `${option}=${word}`;
    else joined.push(word);
  }
  return joined;
};

/** The parser makes an empty text of a lone dash, which stands for standard input. */
const nameStandardInput = (words: readonly string[]): string[] => {
  const end = words.indexOf('--');
  return words.map((word, i) => (word === '-' && (end < 0 || i < end) ? '/dev/stdin' : word));
};

class ParserError extends Error {}

const parserOf = (words: readonly string[], name: string): Argv =>
  yargs(dropJsonDash(words))
    .scriptName(name)
    .version(weirVersion())
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, process.stderr.columns ?? 100))
    .locale('en')
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error: Error | undefined) => {
      // The parser throws some of its messages as errors.
      throw error === undefined || error.name === 'YError' ? new ParserError(message) : error;
    });

/** Shows the help that lists all verbs, or the version; expects one of them. */
const showVerbs = (words: readonly string[]): void => {
  const parser = parserOf(words, 'weir')
    .usage('$0 VERB\n\nLoad testing for OpenAI-compatible inference gateways.')
    .demandCommand(1, `expected a verb: ${orList(verbs)}`)
    .example('$0 run scenarios/quickstart.yaml', 'the embedded gateway, half a minute')
    .example('$0 run --target https://host/v1 --model a/b --rate 5/s --duration 30s', '');
  for (const { usage, summary } of verbTable.values()) parser.command(usage, summary);
  // Only for the list: `helpAsOption` does the work.
  parser.command('help [verb]', 'Show help for a command').parseSync();
};

/** The verb, or the one within it, that a command line names, with its options. */
interface ParsedVerb {
  readonly words: readonly string[];
  options: OptionTable;
  /** Its work; `null` if the parser has shown help. */
  run: (() => Promise<ExitName>) | null;
}

/** Declares a verb and those within it; notes in `parsed` the one that the command line names. */
const declareVerb = (
  parser: Argv,
  [usage, summary, verb]: readonly [usage: string, summary: string, verb: Verb],
  parsed: ParsedVerb,
  examples: readonly Example[] = [],
): Argv => {
  const declareOptions = (builder: Argv): Argv => {
    parsed.options = { ...parsed.options, ...verb.options };
    builder.options(verb.options);
    // One above the other: side by side, a long command line would be broken in two.
    for (const [words, does] of examples) builder.example(`# ${does}\nweir ${words}`, '');
    for (const [within, each] of Object.entries(verb.subcommands ?? {})) {
      declareVerb(builder, [within, each.summary, each.verb], parsed);
    }
    return builder;
  };
  // The work begins when the parser has returned, which is then not asked to report its errors.
  return parser.command(usage, summary, declareOptions, (given) => {
    checkSwitches(parsed.words, parsed.options);
    checkValues(given, parsed.options);
    parsed.run = () => verb.run(given);
  });
};

/** Parses the command line and runs its verb. Throws `UsageProblem` and `Problem`; anything else is a bug. */
export const program = async (commandLine: readonly string[]): Promise<ExitName> => {
  const words = completeLive(joinNegatives(helpAsOption(commandLine)));
  const [name = '', ...given] = words;
  checkVerb(words[0]);
  const entry = verbTable.get(name);
  const parsed: ParsedVerb = { words, options: {}, run: null };
  try {
    if (entry === undefined) showVerbs(words);
    else {
      const verb = await entry.load();
      // For a default command the parser does not also render the help, which takes 20 ms.
      const isDefault = verb.subcommands === undefined;
      const own = verb.takesCommand === true ? nameStandardInput(given) : given;
      const parser = isDefault ? parserOf(own, `weir ${name}`) : parserOf(words, 'weir');
      parser.parserConfiguration({ 'populate--': verb.takesCommand === true });
      const usage = isDefault ? entry.usage.replace(name, '$0') : entry.usage;
      declareVerb(parser, [usage, entry.summary, verb], parsed, entry.examples).parseSync();
    }
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    // Imported here, since the schema takes longest to load.
    const { scenarioSchema } = await import('../scenario/schema/scenario-schema.ts');
    const fields = Object.keys(scenarioSchema.shape);
    throw new UsageProblem(explainUsageError(error.message, words, { ...parsed, fields }));
  }
  // A script that lost its words must not pass.
  return (await parsed.run?.()) ?? (commandLine.length === 0 ? 'configuration' : 'pass');
};
