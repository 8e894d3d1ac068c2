import { isMap, isSeq, parseDocument } from 'yaml';
import type { ScenarioProblem } from './scenario-problem.ts';
import {
  dottedPath,
  withFlagValue,
  isMapping,
  type Path,
  type ScenarioTree,
  valueAtPath,
  withValueAtPath,
} from './scenario-tree.ts';

/**
 * This file applies `--set path=value`. An override replaces or adds one value of the scenario before the scenario is
 * checked.
 */

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Returns the value that YAML reads from a text without quotes: a number, true, false or null. Any other text stays a
 * text.
 */
export const parseScalar = (text: string): unknown =>
  number.test(text) ? Number(text) : words.has(text) ? words.get(text) : text;

/**
 * Reads quoted text, lists and mappings as YAML, and any other text as a single value. Returns `undefined` if the text
 * is not valid YAML.
 */
export const parseValue = (text: string): unknown => {
  if (!/^["'[{]/.test(text)) return parseScalar(text);
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  const { contents } = document;
  const flowing = (isMap(contents) || isSeq(contents)) && contents.flow === true;
  return flowing || /^["']/.test(text) ? document.toJS({ maxAliasCount: 0 }) : undefined;
};

/**
 * Reads the next step of a path. Returns an index if `inside` is a list, a key if `inside` is a mapping, and `null` if
 * `inside` is another value.
 */
const parseStep = (step: string, inside: unknown): string | number | null => {
  const position = /^\d{1,9}$/.test(step) ? Number(step) : null;
  if (Array.isArray(inside))
    return position !== null && position <= inside.length ? position : null;
  // If the path has no value yet, a number as the next step means a list. `parsePath` accepts only the number 0.
  if (inside === undefined || inside === null) return position ?? step;
  return isMapping(inside) ? step : null;
};

/**
 * Parses a path such as `load.rate`, `traffic.0.model` or `traffic[0].model`. Returns the reason as a sentence if no
 * value can be at this path.
 */
export const parsePath = (text: string, value: unknown): Path | string => {
  const path: (string | number)[] = [];
  for (const written of text.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (written === '') return 'a path looks like load.rate or traffic.0.model';
    const inside = valueAtPath(value, path);
    const step = parseStep(written, inside);
    const holder = path.length === 0 ? 'the scenario' : `"${dottedPath(path)}"`;
    if (step === null) {
      return Array.isArray(inside)
        ? `${holder} is a list of ${inside.length}: it has no position "${written}" (the first is 0${text.endsWith(`.${written}`) && !/^\d/.test(written) ? `: ${dottedPath([...path, 0])}.${written}` : ''})`
        : `${holder} is a single value, so nothing can be set inside it`;
    }
    if (typeof step === 'number' && step > 0 && !Array.isArray(inside)) {
      return `${holder} does not exist yet: its first position is 0`;
    }
    path.push(step);
  }
  return path;
};

/** Splits an override into its path and its value. An override without a path gets an empty path. */
const partsOf = (text: string): readonly [name: string, value: string] => {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  return [name.trim(), value.trim()];
};

/**
 * Returns the name of an override for messages. The name contains only the path, since the value may be a secret in the
 * wrong place.
 */
export const overrideFlag = (text: string): string => `--set ${partsOf(text)[0]}`.trim();

/** The two limits that `limits: none` sets to `none`. */
export const bothLimits = { requestsPerMinute: 'none', tokensPerMinute: 'none' };

/**
 * Prepares `limits: none` for an override of one limit: writes `none` for each of the two limits. Does nothing for any
 * other path or value.
 */
export const withBothLimits = (tree: ScenarioTree, name: string): ScenarioTree => {
  const holder = /^(?!mock\.)((?:.*[.\]])?limits)\.[^.]+$/.exec(name)?.[1];
  const path = holder === undefined ? null : parsePath(holder, tree.value);
  return Array.isArray(path) && valueAtPath(tree.value, path) === 'none'
    ? { ...tree, value: withValueAtPath(tree.value, path, bothLimits) }
    : tree;
};

/** Applies one override to a tree. Returns the reason as a sentence if that is impossible. */
const applyOverride = (written: ScenarioTree, text: string): ScenarioTree | string => {
  const [name, valueText] = partsOf(text);
  if (name === '') return 'expected path=value, for example --set load.rate=10/s';
  const tree = withBothLimits(written, name);
  const path = parsePath(name, tree.value);
  if (typeof path === 'string') return path;
  const value = parseValue(valueText);
  if (value === undefined) return 'its value is not valid YAML';
  return withFlagValue(tree, path, value, overrideFlag(text));
};

/** Applies all overrides to a tree, in the given order. */
export const applyOverrides = (
  tree: ScenarioTree,
  overrides: readonly string[],
): { readonly tree: ScenarioTree; readonly problems: readonly ScenarioProblem[] } => {
  const problems: ScenarioProblem[] = [];
  let current = tree;
  for (const text of overrides) {
    const applied = applyOverride(current, text);
    if (typeof applied === 'string') {
      const place = { path: partsOf(text)[0], line: null, column: null, flag: overrideFlag(text) };
      problems.push({ ...place, message: applied, hint: null });
    } else current = applied;
  }
  return { tree: current, problems };
};
