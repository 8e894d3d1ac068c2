import type { Argv } from 'yargs';
import yargs from 'yargs/yargs';
import { weirVersion } from '../platform/host/machine.ts';
import type { ExitName } from '../run/output/exit-codes.ts';
import { type OptionTable, UsageProblem, type Verb } from './options/define-verb.ts';
import type { HabitAdvice, WrittenOption } from './options/habits.ts';
import { completeLive } from './options/page-options.ts';
import {
  checkVerb,
  type Example,
  helpAsOption,
  orList,
  verbs,
  verbTable,
  subcommands,
} from './verb-table.ts';
import { nearest } from '../scenario/text/spelling.ts';

/**
 * The options with an optional value. Without a value, `otlp` takes the address from the environment, and `tokens`
 * selects all examinations.
 */
const valueOptional: readonly string[] = ['otlp', 'tokens'];

/** Returns the message for an option without a value. The message describes the expected value. */
const noValue = (name: string, options: OptionTable): string => {
  const meaning = options[name]?.describe;
  return `--${name}: expected a value, got nothing${meaning === undefined ? '' : `. It is: ${meaning}`}`;
};

/** Throws a `UsageProblem` if an option has no value, or if an option for one value has several values. */
const checkValues = (parsed: Readonly<Record<string, unknown>>, options: OptionTable): void => {
  const withoutValue = Object.keys(parsed).find(
    (name) => parsed[name] === '' && !valueOptional.includes(name),
  );
  if (withoutValue !== undefined) throw new UsageProblem(noValue(withoutValue, options));
  for (const [name, { type, array }] of Object.entries(options)) {
    const value = parsed[name];
    if (value === false && type !== 'boolean') {
      throw new UsageProblem(
        `--no-${name}: not supported; write --${name} with a value, or leave it out`,
      );
    }
    if (Array.isArray(value) && array !== true) {
      throw new UsageProblem(`--${name}: expected one value, got ${value.length}: keep one`);
    }
  }
};

/**
 * Throws a `UsageProblem` if a switch has a value other than true or false. The parser would read any other value as
 * false.
 */
const checkSwitches = (words: readonly string[], options: OptionTable): void => {
  for (const word of words) {
    const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (options[name]?.type !== 'boolean' || value === 'true' || value === 'false') continue;
    throw new UsageProblem(
      `--${name}: expected no value (--${name}, or --no-${name}), got ${value}`,
    );
  }
};

/**
 * A word with one dash and at most this many letters is a group of short options, such as `-hq`. A longer word is a
 * long option that lacks a dash.
 */
const longestGroup = 2;

/**
 * Returns the words with two dashes before each option, and the list of the changed words. Users may write an option
 * with one dash (`-rate`, as in Go's programs), or with a long dash (`—rate`, since word processors replace two dashes
 * by a long dash). Words after `--` stay unchanged.
 */
const withTwoDashes = (
  words: readonly string[],
): { readonly words: readonly string[]; readonly odd: readonly string[] } => {
  const end = words.indexOf('--');
  const odd: string[] = [];
  const meant = words.map((word, i) => {
    const [, name] = /^(?:-|[–—]-?)([a-z][\w-]*(?:=.*)?)$/is.exec(word) ?? [];
    const isGroup = word.startsWith('-') && (name?.split('=', 1)[0] ?? '').length <= longestGroup;
    if (name === undefined || isGroup || (end >= 0 && i > end)) return word;
    odd.push(word);
    return `--${name}`;
  });
  return { words: meant, odd };
};

/** Throws a `UsageProblem` for the first option with wrong dashes. */
const checkDashes = ([first]: readonly string[]): void => {
  if (first === undefined) return;
  const [meant = ''] = first.replace(/^[-–—]+/, '--').split('=');
  throw new UsageProblem(`${first}: an option begins with two dashes: write ${meant}`);
};

interface KnownNames {
  readonly options: OptionTable;
  readonly fields: readonly string[];
  readonly habitAdvice: HabitAdvice;
}

const normalized = (name: string): string => name.replaceAll('-', '').toLowerCase();

const expectedOption = (
  verb: string,
  written: WrittenOption,
  { options, fields, habitAdvice }: KnownNames,
): string => {
  const listed = `expected one that \`weir ${verb} --help\` lists`;
  const { name, value } = written;
  const advice = verb === 'mock' ? null : habitAdvice(written, options);
  if (advice !== null) return advice;
  const isNegated = name.startsWith('no-');
  const plain = isNegated ? name.slice('no-'.length) : name;
  const field = fields.find((each) => normalized(each) === normalized(plain));
  // `weir mock` gets no such advice, since its `--set` changes fields of the gateway, not of a scenario.
  if (field !== undefined && verb !== 'mock' && 'set' in options) {
    return `it is a field of scenarios: write --set ${field}=${isNegated ? 'false' : (value ?? '…')}`;
  }
  const shown = Object.keys(options).filter((each) => options[each]?.hidden !== true);
  const switches = shown.filter((each) => options[each]?.type === 'boolean');
  const candidates = isNegated ? switches : ['version', 'help', ...shown];
  const near = plain.length === 1 ? null : nearest(plain, candidates);
  return near === null
    ? listed
    : `did you mean --${isNegated ? 'no-' : ''}${near}? If not, ${listed}`;
};

/**
 * Returns the word with which the user wrote the option `name`, for example `--no-NAME`; `null` if the user wrote no
 * such option. The parser has removed the dashes from `name`.
 */
const writtenOption = (words: readonly string[], name: string): string | null =>
  words.find((word) => {
    if (!word.startsWith('-')) return false;
    const [written = ''] = word.replace(/^-+/, '').split('=');
    return [normalized(name), `no${normalized(name)}`].includes(normalized(written));
  }) ?? null;

/**
 * Returns the word after an option, which is its value; `undefined` if the value follows a `=`, or if the next word is
 * an option.
 */
const valueAfter = (words: readonly string[], option: string): string | undefined => {
  const next = option.includes('=') ? undefined : words[words.indexOf(option) + 1];
  return next?.startsWith('-') === false ? next : undefined;
};

/**
 * Returns whether a word directly follows an unknown option of the user. Such a word is probably the value of the
 * unknown option.
 */
const isValueOfUnknown = (
  words: readonly string[],
  word: string,
  unknown: readonly string[],
): boolean =>
  unknown.some((name) => {
    const option = writtenOption(words, name);
    return option !== null && valueAfter(words, option) === word;
  });

const unknownWord = (verb: string, name: string): string => {
  const within = subcommands[verb];
  const expects = verbTable.get(verb)?.expects ?? null;
  const near = within === undefined ? null : nearest(name, within);
  const expected = `weir ${verb} takes ${expects === null ? 'options only' : `${expects}, and options`}`;
  // A value with blanks, as in `--rate 5 /s`, becomes several words. This word may be one of them.
  const isPart = /^(?:=.*|per|an?|seconds?|minutes?|hours?|[\d.]+\/?[a-z]+)$/i.test(name);
  const advice = isPart
    ? `${expected}; a value has no blanks: --rate 5/s, --set load.rate=5/s`
    : expected;
  return `unexpected word "${name}": ${near === null ? advice : `did you mean "${near}"? If not, ${expected}`}`;
};

const unknownArgument = (words: readonly string[], name: string, known: KnownNames): string => {
  const [verb = ''] = words;
  const option = writtenOption(words, name);
  if (option === null) return unknownWord(verb, name);
  const [, dashes, written, value] = /^(-+)([^=]*)(?:=(.*))?$/s.exec(option)!;
  const meant = value ?? valueAfter(words, option);
  const hasScenario = words[1]?.startsWith('-') === false;
  return `unknown option ${dashes}${written}: ${expectedOption(verb, { dashes: dashes!, name: written!, value: meant, hasScenario }, known)}`;
};

/** Returns the message for missing options that a verb needs, with an example of a command line. */
const missingOptions = (verb: string, names: readonly string[]): string => {
  const options = names.map((name) => `--${name}`);
  const [subject, pronoun] = options.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const example = verbTable
    .get(verb)
    ?.examples.find(([words]) => options.every((option) => words.split(' ').includes(option)));
  const usage = example === undefined ? options.map((each) => `${each} …`) : [`weir ${example[0]}`];
  return `${options.join(' and ')} ${subject} missing: add ${pronoun}, as in ${usage.join(' ')}`;
};

/**
 * Rewrites a message of the command-line parser in the style of Weir's messages: what was expected, what was given, and
 * what to do. Unknown messages stay unchanged.
 */
const explainUsageError = (
  message: string,
  words: readonly string[],
  known: KnownNames,
): string => {
  const [verb = ''] = words;
  const [, names] = /^Unknown (?:argument|command)s?: (.*)$/.exec(message) ?? [];
  if (names !== undefined) {
    const unknown = names.split(', ');
    const lines = unknown
      .filter((name) => !isValueOfUnknown(words, name, unknown))
      .map((name) => unknownArgument(words, name, known));
    return [...new Set(lines)].join('\n');
  }
  if (message.startsWith('Not enough non-option arguments')) {
    return `weir ${verb}: expected ${verbTable.get(verb)?.expects ?? 'a verb'}, got nothing`;
  }
  const [, missing] = /^Missing required arguments?: (.*)$/.exec(message) ?? [];
  if (missing !== undefined) return missingOptions(verb, missing.split(', '));
  const [, bare] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (bare !== undefined) return noValue(bare, known.options);
  const [, subject, given, choices] =
    /Argument: (.*), Given: (.*), Choices: (.*)$/.exec(message) ?? [];
  if (subject === undefined) return message;
  const isOption = words.some(
    (word) => word === `--${subject}` || word.startsWith(`--${subject}=`),
  );
  return `${isOption ? '--' : ''}${subject}: expected ${choices!.replaceAll(', ', ' or ')}, got ${given}`;
};

/**
 * Removes the dash of `--json -`. In other tools, the dash stands for standard output. Weir's `--json` always writes
 * there.
 */
const dropJsonDash = (words: readonly string[]): string[] =>
  words.filter((word, i) => !(word === '-' && words[i - 1] === '--json'));

/**
 * Joins a negative number, as a value, to the option before it. Otherwise, the parser would take the number for a group
 * of short options. The option may still refuse the number.
 */
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

/**
 * Replaces a single dash, which means standard input, by `/dev/stdin`. The parser would turn the dash into an empty
 * text.
 */
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
      // The parser throws some usage errors as errors of the class `YError`.
      throw error === undefined || error.name === 'YError' ? new ParserError(message) : error;
    });

/** Shows the help with all verbs, or the version, as the words request. */
const showVerbs = (words: readonly string[]): void => {
  const parser = parserOf(words, 'weir')
    .usage('$0 VERB\n\nLoad testing for OpenAI-compatible inference gateways.')
    .demandCommand(
      1,
      `expected a verb: ${orList(verbs)}${/^-v$/i.test(words[0] ?? '') ? '; for the version write weir --version' : ''}`,
    )
    .example('$0 run scenarios/quickstart.yaml', 'the embedded gateway, half a minute')
    .example('$0 run --target https://host/v1 --model a/b --rate 5/s --duration 30s', '');
  for (const { usage, summary } of verbTable.values()) parser.command(usage, summary);
  // This entry exists only for the list of verbs. `helpAsOption` handles the verb `help`.
  parser.command('help [verb]', 'Show help for a command').parseSync();
};

/** The verb that a command line names, with the options of the verb. The verb may be a verb within another verb. */
interface ParsedVerb {
  readonly words: readonly string[];
  options: OptionTable;
  /** Performs the verb; `null` if the parser has only shown help. */
  run: (() => Promise<ExitName>) | null;
}

/**
 * Declares a verb and the verbs within it. If the command line names one of these verbs, stores this verb in `parsed`.
 */
const declareVerb = (
  parser: Argv,
  [usage, summary, verb]: readonly [usage: string, summary: string, verb: Verb],
  parsed: ParsedVerb,
  examples: readonly Example[] = [],
): Argv => {
  const declareOptions = (builder: Argv): Argv => {
    parsed.options = { ...parsed.options, ...verb.options };
    builder.options(verb.options);
    // Each description is above its command line. The parser would break a long command line beside a description.
    for (const [words, does] of examples) builder.example(`# ${does}\nweir ${words}`, '');
    for (const [within, each] of Object.entries(verb.subcommands ?? {})) {
      declareVerb(builder, [within, each.summary, each.verb], parsed);
    }
    return builder;
  };
  // The verb's work begins after the parser has returned. Otherwise, the parser would report the work's errors as its
  // own.
  return parser.command(usage, summary, declareOptions, (given) => {
    checkSwitches(parsed.words, parsed.options);
    checkValues(given, parsed.options);
    parsed.run = () => verb.run(given);
  });
};

/** Parses the command line and runs the named verb. Throws `UsageProblem` and `Problem`. Any other error is a bug. */
export const program = async (commandLine: readonly string[]): Promise<ExitName> => {
  const dashed = withTwoDashes(commandLine);
  const words = completeLive(joinNegatives(helpAsOption(dashed.words)));
  const [name = '', ...given] = words;
  checkVerb(words[0]);
  const entry = verbTable.get(name);
  const parsed: ParsedVerb = { words, options: {}, run: null };
  try {
    if (entry === undefined) showVerbs(words);
    else {
      const verb = await entry.load();
      // A verb without subcommands is declared as the default command of the parser. For a named command, the parser
      // would also render the help, which takes 20 ms.
      const isDefault = verb.subcommands === undefined;
      const own = verb.takesCommand === true ? nameStandardInput(given) : given;
      const parser = isDefault ? parserOf(own, `weir ${name}`) : parserOf(words, 'weir');
      parser.parserConfiguration({ 'populate--': verb.takesCommand === true });
      const usage = isDefault ? entry.usage.replace(name, '$0') : entry.usage;
      declareVerb(parser, [usage, entry.summary, verb], parsed, entry.examples).parseSync();
      checkDashes(dashed.odd);
    }
  } catch (error) {
    if (!(error instanceof ParserError)) throw error;
    // These modules are imported only for error messages, since the schema takes longer to load than any other module.
    const { scenarioSchema } = await import('../scenario/schema/scenario-schema.ts');
    const { habitAdvice } = await import('./options/habits.ts');
    const fields = Object.keys(scenarioSchema.shape);
    throw new UsageProblem(
      explainUsageError(error.message, words, { ...parsed, fields, habitAdvice }),
    );
  }
  // An empty command line must exit with a failure, since a script may have lost its arguments.
  return (await parsed.run?.()) ?? (commandLine.length === 0 ? 'configuration' : 'pass');
};
