import { nearest } from '../scenario/text/spelling.ts';
import { type OptionTable, UsageProblem } from './options/define-verb.ts';
import { subcommands, verbTable } from './verb-table.ts';

/** The only option with an optional value: without one, the environment says where to push. */
const valueOptional = 'otlp';

/** Throws a `UsageProblem` if an option has no value, or has several but takes one. */
export const checkValues = (
  parsed: Readonly<Record<string, unknown>>,
  options: OptionTable,
): void => {
  const withoutValue = Object.keys(parsed).find(
    (name) => parsed[name] === '' && name !== valueOptional,
  );
  if (withoutValue !== undefined)
    throw new UsageProblem(`--${withoutValue}: expected a value, got nothing`);
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

/** Throws a `UsageProblem` if a switch has a value that is neither true nor false, which the parser takes for false. */
export const checkSwitches = (words: readonly string[], options: OptionTable): void => {
  for (const word of words) {
    const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (options[name]?.type !== 'boolean' || value === 'true' || value === 'false') continue;
    throw new UsageProblem(
      `--${name}: expected no value (--${name}, or --no-${name}), got ${value}`,
    );
  }
};

interface KnownNames {
  readonly options: OptionTable;
  readonly fields: readonly string[];
}

const normalized = (name: string): string => name.replaceAll('-', '').toLowerCase();

const expectedOption = (
  verb: string,
  { name, value }: { readonly name: string; readonly value: string | undefined },
  { options, fields }: KnownNames,
): string => {
  const listed = `expected one that \`weir ${verb} --help\` lists`;
  const isNegated = name.startsWith('no-');
  const plain = isNegated ? name.slice('no-'.length) : name;
  const field = fields.find((each) => normalized(each) === normalized(plain));
  // The `--set` of `weir mock` is for the mock only.
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

/** The option that the parser calls `name`, as the user wrote it; `null` if it is a word. */
const writtenOption = (words: readonly string[], name: string): string | null =>
  words.find((word) => {
    if (!word.startsWith('-')) return false;
    const [written = ''] = word.replace(/^-+/, '').split('=');
    return [normalized(name), `no${normalized(name)}`].includes(normalized(written));
  }) ?? null;

const unknownWord = (verb: string, name: string): string => {
  const within = subcommands[verb];
  const expects = verbTable.get(verb)?.expects ?? null;
  const near = within === undefined ? null : nearest(name, within);
  const expected = `weir ${verb} takes ${expects === null ? 'options only' : `${expects}, and options`}`;
  return `unexpected word "${name}": ${near === null ? expected : `did you mean "${near}"? If not, ${expected}`}`;
};

const unknownArgument = (words: readonly string[], name: string, known: KnownNames): string => {
  const [verb = ''] = words;
  const option = writtenOption(words, name);
  if (option === null) return unknownWord(verb, name);
  const [, dashes, written, value] = /^(-+)([^=]*)(?:=(.*))?$/s.exec(option)!;
  return `unknown option ${dashes}${written}: ${expectedOption(verb, { name: written!, value }, known)}`;
};

/** Names options that a verb needs, with a command line that has them. */
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
 * Rewrites a message of the command-line parser as Weir's messages are written: what was expected, what
 * was given, what to do. Unknown messages are returned unchanged.
 */
export const explainUsageError = (
  message: string,
  words: readonly string[],
  known: KnownNames,
): string => {
  const [verb = ''] = words;
  const [, names] = /^Unknown (?:argument|command)s?: (.*)$/.exec(message) ?? [];
  if (names !== undefined) {
    const lines = names.split(', ').map((name) => unknownArgument(words, name, known));
    return [...new Set(lines)].join('\n');
  }
  if (message.startsWith('Not enough non-option arguments')) {
    return `weir ${verb}: expected ${verbTable.get(verb)?.expects ?? 'a verb'}, got nothing`;
  }
  const [, missing] = /^Missing required arguments?: (.*)$/.exec(message) ?? [];
  if (missing !== undefined) return missingOptions(verb, missing.split(', '));
  const [, bare] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (bare !== undefined) return `--${bare}: expected a value, got nothing`;
  const [, subject, given, choices] =
    /Argument: (.*), Given: (.*), Choices: (.*)$/.exec(message) ?? [];
  return subject === undefined
    ? message
    : `${subject}: expected ${choices!.replaceAll(', ', ' or ')}, got ${given}`;
};
