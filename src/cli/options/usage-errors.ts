import { nearest } from '../../scenario/text/spelling.ts';
import type { KnownOptions } from './known-options.ts';
import { subcommands } from './verbs.ts';

/** The arguments of each verb; `null` for none. */
const expectedArguments: Readonly<Record<string, string | null>> = {
  run: 'one scenario file',
  compare: 'the runs to compare (result files, their folders, or the name of a baseline)',
  history: 'the verb baseline',
  limits: 'one scenario file',
  init: 'the base address of a gateway',
  plan: 'one scenario file',
  capacity: 'one scenario file',
  calibrate: null,
  validate: 'one scenario file',
  report: 'the result.json of a run',
  merge: 'the result.json of each slice',
  mock: 'one scenario file',
  schema: 'scenario or result',
};

/** What an unknown word may be matched with. */
interface KnownNames extends KnownOptions {
  /** The top-level fields of a scenario. */
  readonly keys: readonly string[];
}

const normalized = (name: string): string => name.replaceAll('-', '').toLowerCase();

/** Verbs whose `--set` overrides fields of a scenario. */
const setsScenarioFields = (verb: string, { all }: KnownNames): boolean =>
  verb !== 'mock' && all.includes('set');

/** A suggestion for an unknown option. */
const expectedOption = (
  verb: string,
  { name, value }: { readonly name: string; readonly value: string | undefined },
  known: KnownNames,
): string => {
  const listed = `expected one that \`weir ${verb} --help\` lists`;
  const isNegated = name.startsWith('no-');
  const plain = isNegated ? name.slice('no-'.length) : name;
  const key = known.keys.find((each) => normalized(each) === normalized(plain));
  if (key !== undefined && setsScenarioFields(verb, known)) {
    return `it is a field of scenarios: write --set ${key}=${isNegated ? 'false' : (value ?? '…')}`;
  }
  const near = plain.length === 1 ? null : nearest(plain, isNegated ? known.switches : known.all);
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
  const expects = expectedArguments[verb] ?? null;
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
    return `weir ${verb}: expected ${expectedArguments[verb] ?? 'a verb'}, got nothing`;
  }
  const [, missing] = /^Missing required arguments?: (.*)$/.exec(message) ?? [];
  if (missing !== undefined)
    return `--${missing} is missing: say where it goes with --${missing} …`;
  const [, bare] = /^Not enough arguments following: (.*)$/.exec(message) ?? [];
  if (bare !== undefined) return `--${bare}: expected a value, got nothing`;
  const [, subject, given, choices] =
    /Argument: (.*), Given: (.*), Choices: (.*)$/.exec(message) ?? [];
  return subject === undefined
    ? message
    : `${subject}: expected ${choices!.replaceAll(', ', ' or ')}, got ${given}`;
};
