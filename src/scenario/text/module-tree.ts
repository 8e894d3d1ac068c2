import { type ScenarioFinding, problemOf } from './scenario-problem.ts';
import { type EntryPositions, type Path, pathKey, withEachValue } from './scenario-tree.ts';
import type { ParsedTree } from './yaml-document.ts';

/**
 * This file reads the export of a scenario module like a scenario file. A problem in a module has a path but no line.
 */

const ownPosition = { line: null, column: null, flag: null };
const modulePositions: ReadonlyMap<string, EntryPositions> = new Map([
  [pathKey([]), { key: ownPosition, value: ownPosition, isPlainScalar: false }],
]);

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};

/** Describes a value that no scenario can contain, for example a function. */
const unsupportedValueText = (value: unknown): string => {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { constructor: maker } = value as { readonly constructor?: { readonly name?: string } };
  return `an object of the class ${maker?.name ?? 'unknown'}`;
};

const unsupportedValueAdvice = (value: unknown): string | null => {
  if (typeof value === 'function') return 'call it and use its result';
  if (value instanceof Promise) return 'await it';
  if (typeof value === 'bigint') return 'use a number';
  return typeof value === 'object' ? 'use its text' : null;
};

/** Returns the tree of a module's default export, and finds values that no scenario file could contain. */
export const parseModule = (exported: unknown): ParsedTree => {
  const findings: ScenarioFinding[] = [];
  const addFinding = (path: Path, message: string, hint: string | null): void => {
    findings.push({ path, part: 'value', message, hint });
  };

  /**
   * Copies plain values. `within` contains the lists and mappings around the value. A key with the value `undefined`
   * counts as absent.
   */
  const copy = (value: unknown, path: Path, within: readonly object[]): unknown => {
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    if (typeof value !== 'object' || !isPlain(value)) {
      const expected = 'expected text, a number, true, false, a list or a mapping';
      const message = `${expected}, got ${unsupportedValueText(value)}`;
      return addFinding(path, message, unsupportedValueAdvice(value));
    }
    if (within.includes(value)) return addFinding(path, 'this value contains itself', null);
    const inside = [...within, value];
    const present = Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
    return withEachValue(present, (inner, step) => copy(inner, [...path, step], inside));
  };

  const tree = { value: copy(exported, [], []), positions: modulePositions };
  const problems = findings.map((finding) => problemOf(tree, finding));
  return { tree: problems.length === 0 ? tree : null, problems };
};
