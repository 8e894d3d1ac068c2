import { trafficEntrySchema } from '../schema/traffic-schema.ts';
import { scenarioSchema } from '../schema/scenario-schema.ts';
import { parsePath, parseValue, withBothLimits } from './overrides.ts';
import { placeOf, type ScenarioProblem } from './scenario-problem.ts';
import {
  dottedPath,
  flagPositions,
  isMapping,
  type Path,
  type ScenarioTree,
  valueAtPath,
  withFlagValue,
} from './scenario-tree.ts';
import { branchesOf, branchFor, schemaInside } from './schema-walk.ts';
import { didYouMean } from './spelling.ts';

/** This file reads a sweep's variables: `--vary load.users=1,2,4` or `vary: {load.users: [1, 2, 4]}`. */

/** One value of a variable, and the text of this value in tables. */
export interface Variation {
  readonly text: string;
  readonly value: unknown;
}

/** A variable of a sweep: a path in the scenario, and its values in the order of the sweep. */
export interface Variable {
  readonly path: string;
  /** The name of the variable in messages. */
  readonly flag: string;
  readonly values: readonly Variation[];
}

export interface PointSetting {
  readonly path: string;
  readonly flag: string;
  readonly value: unknown;
}

/** The maximum number of values of a variable. */
const maxVariations = 100;

/** Splits a text at commas, but not at commas within brackets or quotation marks. */
const splitAtCommas = (text: string): readonly string[] => {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (const letter of text) {
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if ('[{'.includes(letter)) depth += 1;
    else if (']}'.includes(letter)) depth -= 1;
    if (letter === ',' && depth === 0 && quote === '') parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
};

const amount = String.raw`(\d+(?:\.\d+)?)([^\d.*+]*)`;
const rangeText = new RegExp(String.raw`^${amount}\.\.${amount}([*+])${amount}$`);
const steplessText = new RegExp(String.raw`^${amount}\.\.${amount}$`);

const oneUnitText = 'expected one unit in a range, such as 1/s..16/s*2';

/** Returns a message for a range without a step, with an example of a step; `null` for any other text. */
const missingStep = (text: string): string | null => {
  const [, from, unit, to, lastUnit] = steplessText.exec(text) ?? [];
  const length = Number(to) - Number(from);
  if (from === undefined || !(length > 0)) return null;
  const units = [unit, lastUnit].filter((each) => each !== '');
  if (new Set(units).size > 1) return `${text}: ${oneUnitText}`;
  // Between whole numbers, such as numbers of users, the step is also a whole number.
  const isWhole = Number.isInteger(Number(from)) && Number.isInteger(Number(to));
  const quarter = Number((length / 4).toPrecision(1));
  const step = `${isWhole ? Math.max(1, Math.round(quarter)) : quarter}${units.at(-1) ?? ''}`;
  const doubling = Number(from) > 0 ? `, or ${text}*2 for doubling` : '';
  return `${text}: expected a range with its step, such as ${text}+${step}${doubling}`;
};

/**
 * Returns the values of a range: `1..16*2` is 1, 2, 4, 8, 16, and `1/s..5/s+1/s` is 1/s, 2/s, 3/s, 4/s, 5/s. Any other
 * text is a single value.
 */
const expandRange = (text: string): readonly string[] | string => {
  const [, from, unit, to, lastUnit, operator, step, stepUnit] = rangeText.exec(text) ?? [];
  if (from === undefined) return missingStep(text) ?? [text];
  const units = new Set([unit, lastUnit, stepUnit].filter((each) => each !== ''));
  if (units.size > 1 || (operator === '*' && stepUnit !== '')) {
    return `${text}: ${oneUnitText}`;
  }
  const isGrowing = operator === '*' ? Number(step) > 1 && Number(from) > 0 : Number(step) > 0;
  if (!isGrowing || Number(to) < Number(from)) {
    return `${text}: expected a range that rises, such as 1..16*2 or 100..500+100`;
  }
  const values: string[] = [];
  const end = Number(to) * (1 + 1e-9);
  for (
    let value = Number(from);
    value <= end && values.length <= maxVariations;
    value = operator === '*' ? value * Number(step) : value + Number(step)
  ) {
    values.push(`${Number(value.toPrecision(12))}${[...units][0] ?? ''}`);
  }
  return values;
};

const shownVariation = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the values that a text lists, or a message about a mistake in the text. */
const variationsOf = (text: string): readonly Variation[] | string => {
  const values: Variation[] = [];
  for (const part of splitAtCommas(text)) {
    const expanded = expandRange(part);
    if (typeof expanded === 'string') return expanded;
    for (const each of expanded) {
      const value = parseValue(each);
      if (each === '' || value === undefined) {
        return 'expected values between commas, such as 1,2,4,8';
      }
      values.push({ text: shownVariation(value), value });
    }
  }
  return values;
};

const noPlace = { line: null, column: null, flag: null };

/**
 * Returns the mistake in the values of a variable; `null` without a mistake. The rules for scenarios find further
 * mistakes later.
 */
const valuesFault = (values: readonly Variation[]): string | null => {
  if (values.length === 0) return 'expected at least one value';
  if (values.length > maxVariations) return `expected at most ${maxVariations} values`;
  const texts = values.map(({ text }) => text);
  const twice = texts.find((text, i) => texts.indexOf(text) !== i);
  return twice === undefined ? null : `the value ${twice} is given twice: keep one`;
};

export interface ReadVariables {
  readonly variables: readonly Variable[];
  readonly problems: readonly ScenarioProblem[];
}

const flagVariables = (flags: readonly string[]): ReadVariables => {
  const variables: Variable[] = [];
  const problems: ScenarioProblem[] = [];
  for (const flagText of flags) {
    const [, path = '', text = ''] = /^\s*([^=]*?)\s*=(.*)$/s.exec(flagText) ?? [];
    const flag = `--vary ${path}`.trim();
    const values =
      path === '' ? 'expected PATH=VALUES, for example load.users=1,2,4' : variationsOf(text);
    const fault = typeof values === 'string' ? values : valuesFault(values);
    const isTwice = variables.some((each) => each.path === path);
    const message = fault ?? (isTwice ? 'it is given twice: keep one' : null);
    if (message !== null) {
      problems.push({ ...noPlace, path, flag, message, hint: null });
    } else if (typeof values !== 'string') variables.push({ path, flag, values });
  }
  return { variables, problems };
};

/** Reads the variables under `vary` in the file. The schema reports entries that are neither a list nor a text. */
const writtenVariables = (tree: ScenarioTree): ReadVariables => {
  const written = valueAtPath(tree.value, ['vary']);
  const variables: Variable[] = [];
  const problems: ScenarioProblem[] = [];
  for (const [path, given] of Object.entries(isMapping(written) ? written : {})) {
    if (!Array.isArray(given) && typeof given !== 'string') continue;
    const values =
      typeof given === 'string'
        ? variationsOf(given)
        : given.map((value: unknown) => ({ text: shownVariation(value), value }));
    const fault = typeof values === 'string' ? values : valuesFault(values);
    if (fault !== null) {
      problems.push({ ...placeOf(tree, ['vary', path], 'value'), message: fault, hint: null });
    } else if (typeof values !== 'string') variables.push({ path, flag: `vary.${path}`, values });
  }
  return { variables, problems };
};

/**
 * Reads the variables of a sweep, from the file and from flags. If both name one path, the values of the flag count.
 */
export const readVariablesOf = (tree: ScenarioTree, flags: readonly string[]): ReadVariables => {
  const given = flagVariables(flags);
  const written = writtenVariables(tree);
  const paths = new Set(given.variables.map(({ path }) => path));
  return {
    variables: [...written.variables.filter(({ path }) => !paths.has(path)), ...given.variables],
    problems: [...written.problems, ...given.problems],
  };
};

const trafficFields = [
  ...new Set(
    branchesOf(trafficEntrySchema).flatMap((branch) =>
      Object.keys((branch as { shape?: object }).shape ?? {}),
    ),
  ),
];

const trafficPaths = (value: unknown): readonly Path[] => {
  const entriesAt = (path: Path): readonly Path[] => {
    const entries = valueAtPath(value, path);
    return Array.isArray(entries) ? entries.map((_, i) => [...path, i]) : [];
  };
  const stages = valueAtPath(value, ['stages']);
  const ofStages = Array.isArray(stages)
    ? stages.flatMap((_, i) => entriesAt(['stages', i, 'traffic']))
    : [];
  return [...entriesAt(['traffic']), ...ofStages];
};

/**
 * Returns the paths that the path of a variable stands for. The path of a field of traffic entries (`prompt.tokens`,
 * `model`) stands for the field in every entry that has it. If no entry has the field, the path stands for the field in
 * every entry that may have it. Returns a message if the path stands for nothing.
 */
const meantPaths = (path: string, value: unknown): readonly string[] | string => {
  const [first = ''] = path.split(/[.[]/, 1);
  const ownFields = Object.keys(scenarioSchema.shape);
  if (ownFields.includes(first)) return [path];
  if (!trafficFields.includes(first)) {
    const near = /^(?:users|rate|duration|iterations|thinkTime)$/.test(first)
      ? `write load.${first}`
      : didYouMean(first, [...ownFields, ...trafficFields]);
    const message = `"${first}" is neither a field of the scenario nor of its traffic`;
    return near === null ? message : `${message}; ${near}`;
  }
  const all = trafficPaths(value);
  const writing = all.filter((at) => valueAtPath(value, [...at, first]) !== undefined);
  const allowing = all.filter((at) => {
    const entry = branchFor(trafficEntrySchema, valueAtPath(value, at));
    return schemaInside(entry, first) !== undefined;
  });
  const meant = writing.length > 0 ? writing : allowing;
  return meant.length > 0
    ? meant.map((at) => `${dottedPath(at)}.${path}`)
    : `no traffic entry may have "${first}"`;
};

/** Applies one setting to a tree. Returns the reason as a sentence if its path is wrong. */
const applySetting = (tree: ScenarioTree, setting: PointSetting): ScenarioTree | string => {
  const meant = meantPaths(setting.path, tree.value);
  if (typeof meant === 'string') return meant;
  let current = tree;
  for (const each of meant) {
    current = withBothLimits(current, each);
    const path = parsePath(each, current.value);
    if (typeof path === 'string') return path;
    current = withFlagValue(current, path, setting.value, setting.flag);
  }
  return current;
};

export const applyPoint = (
  tree: ScenarioTree,
  point: readonly PointSetting[],
): { readonly tree: ScenarioTree; readonly problems: readonly ScenarioProblem[] } => {
  const problems: ScenarioProblem[] = [];
  let current = tree;
  for (const setting of point) {
    const applied = applySetting(current, setting);
    if (typeof applied === 'string') {
      const { flag } = flagPositions(setting.flag).key;
      problems.push({ ...noPlace, path: setting.path, flag, message: applied, hint: null });
    } else current = applied;
  }
  return { tree: current, problems };
};
