import { nearest } from '../scenario/spelling.ts';

/** What each verb takes beside its options. */
const taken: Readonly<Record<string, string>> = {
  run: 'one scenario file',
  limits: 'one scenario file',
  init: 'the base address of a gateway',
  plan: 'one scenario file',
  capacity: 'one scenario file',
  validate: 'one scenario file',
  report: 'the result.json of a run',
  merge: 'the result.json of each slice',
  mock: 'one scenario file',
  schema: 'scenario or result',
};

const flagIn = (words: readonly string[], name: string): boolean =>
  words.some((word) => word.startsWith(`-`) && word.replace(/^-+/, '').split('=')[0] === name);

/** What of an option that nobody knows is probably meant. */
const expectedOption = (verb: string, name: string, options: readonly string[]): string => {
  const listed = `expected one that \`weir ${verb} --help\` lists`;
  const near = name.length === 1 ? null : nearest(name, options);
  return near === null ? listed : `did you mean --${near}? If not, ${listed}`;
};

/**
 * What the parser of the command line complains of, as the house says it: what was expected, what
 * came, what to do. Whatever it says that is not known here stays as it is.
 */
export const inOwnWords = (
  complaint: string,
  words: readonly string[],
  options: readonly string[],
): string => {
  const [verb = ''] = words;
  const takes = taken[verb] ?? 'a verb';
  const [, names] = /^Unknown arguments?: (.*)$/.exec(complaint) ?? [];
  if (names !== undefined) {
    return names
      .split(', ')
      .map((name) =>
        flagIn(words, name)
          ? `unknown option ${name.length === 1 ? '-' : '--'}${name}: ${expectedOption(verb, name, options)}`
          : `unexpected word "${name}": weir ${verb} takes ${takes}, and options`,
      )
      .join('\n');
  }
  if (complaint.startsWith('Not enough non-option arguments')) {
    return `weir ${verb}: expected ${takes}, got nothing`;
  }
  const [, missing] = /^Missing required arguments?: (.*)$/.exec(complaint) ?? [];
  if (missing !== undefined)
    return `--${missing} is missing: say where it goes with --${missing} …`;
  const [, bare] = /^Not enough arguments following: (.*)$/.exec(complaint) ?? [];
  if (bare !== undefined) return `--${bare}: expected a value, got nothing`;
  const [, subject, given, choices] =
    /Argument: (.*), Given: (.*), Choices: (.*)$/.exec(complaint) ?? [];
  return subject === undefined
    ? complaint
    : `${subject}: expected ${choices!.replaceAll(', ', ' or ')}, got ${given}`;
};
