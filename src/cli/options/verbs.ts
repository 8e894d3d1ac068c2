import type { Argv } from 'yargs';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { didYouMean } from '../../scenario/text/spelling.ts';
import { UsageProblem } from './scenario-options.ts';

/** Adds a verb to the parser; the verb calls `ended` with its exit. */
export type AddVerb = (cli: Argv, ended: (exit: ExitName) => void) => Argv;

export const verbs = [
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
  'help',
];

/** Verbs of similar programs that are options of Weir. */
const optionInstead: Readonly<Record<string, string>> = { version: '--version', usage: '--help' };

/** Throws a `UsageProblem` for an unknown verb; the parser would report an unknown argument. */
export const checkVerb = (word: string | undefined): void => {
  if (word === undefined || word.startsWith('-') || verbs.includes(word)) return;
  const option = optionInstead[word];
  const near = option === undefined ? didYouMean(word, verbs) : `did you mean \`weir ${option}\`?`;
  const expected = `expected ${orList(verbs)}`;
  throw new UsageProblem(
    `unknown verb "${word}": ${near === null ? expected : `${near} If not, ${expected}`}`,
  );
};

export const orList = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

export const subcommands: Readonly<Record<string, readonly string[]>> = { history: ['baseline'] };

/** `weir help run` is `weir run --help`. */
export const helpAsOption = (words: readonly string[]): readonly string[] => {
  if (words[0] !== 'help') return words;
  const [verb, ...more] = words.slice(1).filter((word) => !word.startsWith('-'));
  const unexpected = more.find((word) => !(subcommands[verb!] ?? []).includes(word));
  if (unexpected !== undefined) {
    throw new UsageProblem(`unexpected word "${unexpected}": weir help takes at most one verb`);
  }
  return verb === undefined || verb === 'help' ? ['--help'] : [verb, ...more, '--help'];
};
