import type { z } from 'zod';
import type { IssueParams } from '../schema/fields.ts';
import type { ScenarioFinding } from './scenario-problem.ts';
import { keysAt, kindsWithKey, type MisspeltKind, nestedKeys } from './schema-walk.ts';
import { didYouMean, nearest, synonym, withoutColon } from './spelling.ts';
import { isMapping, type Path, pathInPart, pathKey, valueAtPath } from './scenario-tree.ts';

/** This file turns the schema's issues into findings for users: the expected value, the found value, and advice. */

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

const listText = (values: readonly unknown[]): string => {
  const words = values.map((value) => JSON.stringify(value));
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
};

/** In which unit the size of a value is counted, by the type of the value. */
const sizeUnits: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

const boundText = (
  origin: string,
  end: 'most' | 'least',
  value: number | bigint,
  isInclusive: boolean | undefined,
): string => {
  if (isInclusive === false)
    return `expected a number ${end === 'most' ? 'below' : 'above'} ${value}`;
  return `expected ${origin in sizeUnits ? '' : 'a number of '}at ${end} ${value}${sizeUnits[origin] ?? ''}`;
};

const anyJson = 'expected a value that JSON can hold';

/** Returns Weir's message for an issue whose field has no message of its own. */
export const schemaIssueMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type')
    return `expected ${typeNames[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `expected ${listText(issue.values)}`;
  if (issue.code === 'too_big')
    return boundText(issue.origin, 'most', issue.maximum, issue.inclusive);
  if (issue.code === 'too_small')
    return boundText(issue.origin, 'least', issue.minimum, issue.inclusive);
  return issue.code === 'invalid_union' ? anyJson : undefined;
};

/** The maximum number of characters of a shown value. Of a longer value, only the beginning is shown. */
const maxShownLength = 40;

/** Describes a value in a few words, without the parts of an address that may contain passwords or tokens. */
export const shownValue = (value: unknown): string => {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isMapping(value)) return 'a mapping';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'string') return value === true ? 'true' : 'false';
  if (/:\S*@/.test(value)) return 'an address with a user name or password in it';
  const whole = value.replace(/(?<=:\/\/.*\?).*$/s, '…');
  const beginning = whole.length > maxShownLength ? `${whole.slice(0, maxShownLength)}…` : whole;
  return JSON.stringify(beginning);
};

/** The facts about the scenario that turn an issue into a finding. */
export interface IssueContext {
  readonly value: unknown;
  /** The values that came from the environment, by `pathKey`. */
  readonly environmentValues: ReadonlyMap<string, string>;
}

/** Returns whether the value at a path may be a secret, in the right field or in a wrong field. */
const mayHoldSecret = (path: Path): boolean => {
  const [first, second, third] = pathInPart(path);
  return (
    first === 'headers' ||
    (first === 'keys' && (third === undefined || third === 'key' || typeof second !== 'number'))
  );
};

const fromEnvironment = 'what the environment variable holds';

const receivedText = ({ value, environmentValues }: IssueContext, path: Path): string => {
  if (environmentValues.has(pathKey(path))) return fromEnvironment;
  const inside = valueAtPath(value, path);
  if (!mayHoldSecret(path) || typeof inside === 'object') return shownValue(inside);
  return typeof inside === 'string' ? 'other text' : `a ${typeof inside}`;
};

/** Returns advice if a word may be a key that belongs inside another key; otherwise `null`. */
const nestedKeyAdvice = (
  name: string,
  find: (word: string, choices: readonly string[]) => string | null,
): string | null => {
  for (const { holder, keys } of nestedKeys()) {
    const known = find(name, keys);
    if (known !== null) return `did you mean "${known}" inside "${holder}"?`;
  }
  return null;
};

/**
 * Returns the keys that begin with a digit and have no value. Within braces, YAML reads the rest of a number after a
 * comma as such a key: `5/s` for `rate: 5,5/s`.
 */
const cutOff = (holder: unknown): readonly string[] =>
  isMapping(holder)
    ? Object.keys(holder).filter((name) => /^\d/.test(name) && holder[name] === null)
    : [];

/**
 * Returns whether the rest of a number after a comma is a group of three digits, such as `000/s` in `1,000/s`. YAML
 * reads the group `000` as 0.
 */
const areThousands = (rest: string): boolean => /^(?:0$|\d{3}(?!\d))/.test(rest);

/** Returns the right spelling of a number with a comma within braces, where YAML ends the value at the comma. */
const commaAdvice = (path: Path, { value }: IssueContext): string | null => {
  const inside = valueAtPath(value, path);
  const [rest, ...others] = cutOff(valueAtPath(value, path.slice(0, -1)));
  if (typeof inside !== 'number' || rest === undefined || others.length > 0) return null;
  return `a comma ends a value here: write ${inside}${areThousands(rest) ? '' : '.'}${rest}`;
};

/** If more keys than this are missing, the advice on an unknown key does not list them. */
const maxListedKeys = 12;

/**
 * Lists the missing keys of a mapping if there are few. Otherwise, says inside which key the unknown key may belong.
 */
const listedKeysAdvice = (name: string, missing: readonly string[]): string | null =>
  missing.length > 0 && missing.length <= maxListedKeys
    ? `expected ${listText(missing)}`
    : nestedKeyAdvice(name, synonym);

/**
 * Returns advice on where an unknown key may belong. The key may be another key of this mapping in a wrong spelling.
 * The key may also belong in an entry of another kind, inside another key, or outside of this mapping.
 */
const unknownKeyAdvice = (name: string, path: Path, { value }: IssueContext): string | null => {
  const holder = valueAtPath(value, path);
  const present = isMapping(holder) ? Object.keys(holder) : [];
  if (cutOff(holder).includes(name))
    return `a comma ends a value here: write the number ${areThousands(name) ? 'without it, such as 1000' : 'with a point, such as 2.5'}`;
  const known = keysAt(path, value);
  const missing = known.filter((key) => !present.includes(key));
  const joined = withoutColon(name, missing);
  if (joined !== null) return `did you mean "${joined}: ${name.slice(joined.length + 1)}"?`;
  const kinds = kindsWithKey(name, path, value);
  const hasOtherName = synonym(name, missing) !== null;
  if (kinds.length > 0 && !hasOtherName) return `it belongs to ${listText(kinds)}`;
  const isTop = path.length === 0;
  const within = isTop && !hasOtherName ? nestedKeyAdvice(name, synonym) : null;
  if (within !== null) return within;
  // The unknown key is also compared with keys that the mapping has, since the user may have wanted to replace such a
  // key with `--set`.
  const near = didYouMean(name, missing) ?? didYouMean(name, known);
  if (near !== null) return near;
  if (isTop)
    return nestedKeyAdvice(name, nearest) ?? 'scenarios/keys.md lists the keys of a scenario';
  const outside = synonym(name, keysAt([], value));
  return outside === null
    ? listedKeysAdvice(name, missing)
    : `did you mean "${outside}" at the top of the scenario?`;
};

/**
 * Of the unknown keys of a mapping, only this many are explained one by one, since each is compared with all known
 * keys.
 */
const maxExplainedKeys = 20;

const unknownKeys = (
  issue: z.core.$ZodIssueUnrecognizedKeys,
  path: Path,
  context: IssueContext,
): ScenarioFinding[] => {
  const holder = valueAtPath(context.value, path);
  const kind = isMapping(holder) && typeof holder['kind'] === 'string' ? holder['kind'] : null;
  const findings = issue.keys.slice(0, maxExplainedKeys).map((name): ScenarioFinding => {
    const quoted = shownValue(name);
    const message =
      kind === null
        ? `unknown key ${quoted}`
        : `${quoted} is not a key of the kind ${JSON.stringify(kind)}`;
    const hint = unknownKeyAdvice(name, path, context);
    const known = keysAt(path, context.value);
    const meant = withoutColon(name, known) ?? nearest(name, known);
    return {
      path: [...path, name],
      part: 'key',
      message,
      hint,
      meant: meant === null ? undefined : [...path, meant],
    };
  });
  const next = issue.keys[maxExplainedKeys];
  if (next === undefined) return findings;
  const more = issue.keys.length - maxExplainedKeys;
  const message = more === 1 ? 'and 1 more unknown key' : `and ${more} more unknown keys`;
  return [...findings, { path: [...path, next], part: 'key', message, hint: null }];
};

/**
 * Returns the issues of the branch of a union that the user probably meant: the first branch that accepts the type of
 * the value.
 */
const branchOf = (issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | null =>
  issue.errors.find((branch) =>
    branch.every(
      ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
    ),
  ) ?? null;

/**
 * Merges the issues of a union that accepts words, and perhaps other values, into one issue. Returns `null` if the
 * union has its own message or accepts no words.
 */
const alternatives = (issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssueCustom | null => {
  const branches = issue.errors.flatMap((branch) => branch.filter(({ path }) => path.length === 0));
  const words = branches.flatMap((inner) => (inner.code === 'invalid_value' ? inner.values : []));
  if (issue.message !== anyJson || words.length === 0) return null;
  const others = branches
    .filter(({ code }) => code !== 'invalid_value')
    .map(({ message }) => message.split('; ', 1)[0]!.replace(/^expected /, ''));
  const advice = branches.map((inner) => inner.message.split('; ', 2)[1]).find(Boolean);
  const message = `expected ${[listText(words), ...others].join(', or ')}${advice === undefined ? '' : `; ${advice}`}`;
  const params: IssueParams = { choices: words.map(String) };
  return { code: 'custom', message, params, path: issue.path };
};

const wrongKind = (
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
  context: IssueContext,
): ScenarioFinding => {
  const kinds = 'options' in issue ? issue.options.map(String) : [];
  const expected = `expected ${listText(kinds)}`;
  if (valueAtPath(context.value, path) === undefined) {
    const name = issue.discriminator ?? 'kind';
    return { path, part: 'key', message: `"${name}" is missing: ${expected}`, hint: null };
  }
  const message = `${expected}, got ${receivedText(context, path)}`;
  return { path, part: 'value', message, hint: null };
};

/**
 * Returns the finding about a misspelt kind. The schema did not report the misspelt kind, since other code replaced it
 * before the schema checked the scenario.
 */
export const misspeltKindFinding = (
  { path, word, kinds }: MisspeltKind,
  { environmentValues }: IssueContext,
): ScenarioFinding => {
  const received = environmentValues.has(pathKey(path)) ? fromEnvironment : shownValue(word);
  const message = `expected ${listText(kinds)}, got ${received}`;
  return { path, part: 'value', message, hint: didYouMean(word, kinds) };
};

const choicesOf = (issue: Issue): readonly string[] => {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  const notes: IssueParams = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return notes.choices ?? [];
};

/** Returns the right spelling if a percentage is in the place of a number; otherwise `null`. */
const shareAdvice = (message: string, inside: unknown): string | null => {
  const [, percent] = /^([\d.]+)\s*%$/.exec(typeof inside === 'string' ? inside : '') ?? [];
  return percent !== undefined && message.startsWith('expected a number')
    ? `write ${Number(percent) / 100}`
    : null;
};

const singleFinding = (issue: Issue, path: Path, context: IssueContext): ScenarioFinding => {
  const [message = '', advice] = issue.message.split('; ', 2);
  const inside = valueAtPath(context.value, path);
  const name = path.at(-1);
  if (inside === undefined && name !== undefined) {
    return { path, part: 'key', message: `"${name}" is missing: ${message}`, hint: advice ?? null };
  }
  // If the type of a list or mapping is right, the message does not say what was found.
  const counted = typeof inside === 'object' && inside !== null && issue.code !== 'invalid_type';
  if (counted && issue.code !== 'invalid_union') {
    return { path, part: 'value', message, hint: advice ?? null };
  }
  const hint =
    commaAdvice(path, context) ??
    advice ??
    shareAdvice(message, inside) ??
    (typeof inside === 'string' ? didYouMean(inside, choicesOf(issue)) : null);
  // Advice may quote the value. So there is no advice on a value from the environment.
  const safeHint = context.environmentValues.has(pathKey(path)) ? null : hint;
  const whole = `${message}, got ${receivedText(context, path)}`;
  return { path, part: 'value', message: whole, hint: safeHint };
};

export const issuePath = ({ path }: Issue): Path =>
  path.map((step) => (typeof step === 'symbol' ? '' : step));

/** Returns the findings for an issue. The issue's path is relative to `within`. */
export const findingsOfIssue = (
  issue: Issue,
  context: IssueContext,
  within: Path = [],
): readonly ScenarioFinding[] => {
  const path: Path = [...within, ...issuePath(issue)];
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue, path, context);
  if (issue.code === 'invalid_union') {
    if (issue.discriminator !== undefined) return [wrongKind(issue, path, context)];
    const branch = branchOf(issue);
    const words = alternatives(issue);
    // A faulty text may have been meant for the branch or as one of the words, so one finding names both.
    const isWholeValue = branch?.every((inner) => inner.path.length === 0) === true;
    if (branch !== null && (words === null || !isWholeValue))
      return branch.flatMap((inner) => findingsOfIssue(inner, context, path));
    return [singleFinding(words ?? issue, path, context)];
  }
  return [singleFinding(issue, path, context)];
};
