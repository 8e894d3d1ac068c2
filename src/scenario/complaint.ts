import type { z } from 'zod';
import type { IssueNotes } from './field.ts';
import type { Finding } from './problem.ts';
import { innerKeys, keysAt, kindsWith } from './schema-walk.ts';
import { didYouMean, nearest, synonym } from './spelling.ts';
import { isMapping, type Path, pathKey, valueAt } from './tree.ts';

/** The schema's issues as findings that people can read: what was expected, what came, what to do. */

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  array: 'a list',
};

const listed = (values: readonly unknown[]): string => {
  const words = values.map((value) => JSON.stringify(value));
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
};

/** What of a value is too large or too small, by its type. */
const bounded: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

const bound = (
  origin: string,
  end: 'most' | 'least',
  value: number | bigint,
  isInclusive: boolean | undefined,
): string => {
  if (isInclusive === false)
    return `expected a number ${end === 'most' ? 'below' : 'above'} ${value}`;
  return `expected ${origin in bounded ? '' : 'a number of '}at ${end} ${value}${bounded[origin] ?? ''}`;
};

const anyJson = 'expected a value that JSON can hold';

/** The house's sentences for issues whose field has none of its own. */
export const sentence: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type')
    return `expected ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `expected ${listed(issue.values)}`;
  if (issue.code === 'too_big') return bound(issue.origin, 'most', issue.maximum, issue.inclusive);
  if (issue.code === 'too_small')
    return bound(issue.origin, 'least', issue.minimum, issue.inclusive);
  return issue.code === 'invalid_union' ? anyJson : undefined;
};

/** Past this length a value is shown by its beginning only. */
const longestShown = 40;

/** What came, in a few words. The parts of an address that hold passwords and tokens are left out. */
export const shown = (value: unknown): string => {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isMapping(value)) return 'a mapping';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'string') return value === true ? 'true' : 'false';
  if (/:\S*@/.test(value)) return 'an address with a user name or password in it';
  const whole = value.replace(/(?<=:\/\/.*\?).*$/s, '…');
  const beginning = whole.length > longestShown ? `${whole.slice(0, longestShown)}…` : whole;
  return JSON.stringify(beginning);
};

/** What a reader of issues needs of the scenario they are about. */
export interface Subject {
  readonly value: unknown;
  /** Values from the environment, by `pathKey`. */
  readonly filled: ReadonlyMap<string, string>;
}

/** Whether a secret may stand here, or something that somebody took for the place of one. */
const isSecretPlace = ([first, second, third]: Path): boolean =>
  first === 'headers' ||
  (first === 'keys' && (third === undefined || third === 'key' || typeof second !== 'number'));

const came = ({ value, filled }: Subject, path: Path): string => {
  if (filled.has(pathKey(path))) return 'what the environment variable holds';
  const inside = valueAt(value, path);
  if (!isSecretPlace(path) || typeof inside === 'object') return shown(inside);
  return typeof inside === 'string' ? 'other text' : `a ${typeof inside}`;
};

/** The key inside another one that a word may mean. */
const insideAdvice = (
  name: string,
  find: (word: string, choices: readonly string[]) => string | null,
): string | null => {
  for (const { holder, keys } of innerKeys()) {
    const known = find(name, keys);
    if (known !== null) return `did you mean "${known}" inside "${holder}"?`;
  }
  return null;
};

/** Where an unknown key may belong: here by another name, to another kind, inside another key or outside. */
const adviceOn = (name: string, path: Path, { value }: Subject): string | null => {
  const holder = valueAt(value, path);
  const present = isMapping(holder) ? Object.keys(holder) : [];
  const known = keysAt(path, value);
  const missing = known.filter((key) => !present.includes(key));
  const kinds = kindsWith(name, path, value);
  const hasOtherName = synonym(name, missing) !== null;
  if (kinds.length > 0 && !hasOtherName) return `it belongs to ${listed(kinds)}`;
  const isTop = path.length === 0;
  const within = isTop && !hasOtherName ? insideAdvice(name, synonym) : null;
  if (within !== null) return within;
  // One that is there already may be what --set was to override.
  const near = didYouMean(name, missing) ?? didYouMean(name, known);
  if (near !== null) return near;
  if (isTop) return insideAdvice(name, nearest);
  const outside = synonym(name, keysAt([], value));
  return outside === null
    ? insideAdvice(name, synonym)
    : `did you mean "${outside}" at the top of the scenario?`;
};

const unknownKeys = (
  issue: z.core.$ZodIssueUnrecognizedKeys,
  path: Path,
  subject: Subject,
): Finding[] => {
  const holder = valueAt(subject.value, path);
  const kind = isMapping(holder) && typeof holder['kind'] === 'string' ? holder['kind'] : null;
  return issue.keys.map((name) => ({
    path: [...path, name],
    part: 'key',
    message:
      kind === null
        ? `unknown key ${JSON.stringify(name)}`
        : `${JSON.stringify(name)} is no key of the kind ${JSON.stringify(kind)}`,
    hint: adviceOn(name, path, subject),
  }));
};

/** The issues of the union's branch that the value was most likely meant for: the one whose type it has. */
const branchOf = (issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | null =>
  issue.errors.find((branch) =>
    branch.every(
      ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
    ),
  ) ?? null;

/** A union of words and other values as one issue about all of them; `null` for one that has a sentence of its own, or no words. */
const alternatives = (issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssueCustom | null => {
  const branches = issue.errors.flatMap((branch) => branch.filter(({ path }) => path.length === 0));
  const words = branches.flatMap((inner) => (inner.code === 'invalid_value' ? inner.values : []));
  if (issue.message !== anyJson || words.length === 0) return null;
  const others = branches
    .filter(({ code }) => code !== 'invalid_value')
    .map(({ message }) => message.split('; ', 1)[0]!.replace(/^expected /, ''));
  const message = `expected ${[listed(words), ...others].join(', or ')}`;
  const params: IssueNotes = { choices: words.map(String) };
  return { code: 'custom', message, params, path: issue.path };
};

const wrongKind = (issue: z.core.$ZodIssueInvalidUnion, path: Path, subject: Subject): Finding => {
  const word = valueAt(subject.value, path);
  const kinds = 'options' in issue ? issue.options.map(String) : [];
  const expected = `expected ${listed(kinds)}`;
  if (word === undefined) {
    return { path, part: 'key', message: `"kind" is missing: ${expected}`, hint: null };
  }
  const hint = typeof word === 'string' ? didYouMean(word, kinds) : null;
  return { path, part: 'value', message: `${expected}, got ${came(subject, path)}`, hint };
};

const choicesOf = (issue: Issue): readonly string[] => {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  const notes: IssueNotes = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return notes.choices ?? [];
};

const single = (issue: Issue, path: Path, subject: Subject): Finding => {
  const [message = '', advice] = issue.message.split('; ', 2);
  const inside = valueAt(subject.value, path);
  const name = path.at(-1);
  if (inside === undefined && name !== undefined) {
    return { path, part: 'key', message: `"${name}" is missing: ${message}`, hint: advice ?? null };
  }
  // A container of the right type with too little in it explains itself.
  const counted = typeof inside === 'object' && inside !== null && issue.code !== 'invalid_type';
  if (counted && issue.code !== 'invalid_union') {
    return { path, part: 'value', message, hint: advice ?? null };
  }
  const hint = advice ?? (typeof inside === 'string' ? didYouMean(inside, choicesOf(issue)) : null);
  // Advice may quote the value, which is nobody's business when it comes from the environment.
  const safe = subject.filled.has(pathKey(path)) ? null : hint;
  return { path, part: 'value', message: `${message}, got ${came(subject, path)}`, hint: safe };
};

/** The findings that an issue stands for; `within` is where the issue's own path begins. */
export const findingsOf = (
  issue: Issue,
  subject: Subject,
  within: Path = [],
): readonly Finding[] => {
  const path: Path = [
    ...within,
    ...issue.path.map((step) => (typeof step === 'symbol' ? '' : step)),
  ];
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path, subject);
  if (issue.code === 'invalid_union') {
    if (issue.discriminator !== undefined) return [wrongKind(issue, path, subject)];
    const branch = branchOf(issue);
    if (branch !== null) return branch.flatMap((inner) => findingsOf(inner, subject, path));
    return [single(alternatives(issue) ?? issue, path, subject)];
  }
  return [single(issue, path, subject)];
};
