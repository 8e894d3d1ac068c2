import type { ParsedTree } from './yaml-document.ts';
import { type ScenarioFinding, type ScenarioProblem, problemOf } from './scenario-problem.ts';
import { type EntryPositions, type Path, pathKey, type ScenarioTree } from './scenario-tree.ts';

/** What a scenario module exports, read like a file: its places are known by their paths alone. */

const modulePositions: ReadonlyMap<string, EntryPositions> = new Map([
  [pathKey([]), { key: { kind: 'module' }, value: { kind: 'module' }, isPlainScalar: false }],
]);

interface ModuleWalk {
  readonly findings: ScenarioFinding[];
  /** The lists and mappings around the current place. */
  readonly within: object[];
}

const addFinding = (
  walk: ModuleWalk,
  path: Path,
  message: string,
  hint: string | null,
): undefined => {
  walk.findings.push({ path, part: 'value', message, hint });
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};

/** What a scenario cannot hold, in words. */
const unsupportedValueText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) {
    return value === undefined ? 'undefined' : `a ${typeof value}`;
  }
  const { constructor: constructorFunction } = value as {
    readonly constructor?: { readonly name?: string };
  };
  return `an object of the class ${constructorFunction?.name ?? 'unknown'}`;
};

const unsupportedValueAdvice = (value: unknown): string | null => {
  if (typeof value === 'function') return 'call it and use its result';
  if (value instanceof Promise) return 'await it';
  if (typeof value === 'bigint') return 'use a number';
  return typeof value === 'object' ? 'use its text' : null;
};

const copyInside = (walk: ModuleWalk, value: object, path: Path): unknown => {
  if (walk.within.includes(value))
    return addFinding(walk, path, 'this value contains itself', null);
  walk.within.push(value);
  const copied = Array.isArray(value)
    ? value.map((item: unknown, index) => copy(walk, item, [...path, index]))
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
          inner === undefined ? [] : [[key, copy(walk, inner, [...path, key])]],
        ),
      );
  walk.within.pop();
  return copied;
};

/** A copy of plain values; a key that is `undefined` counts as absent. */
const copy = (walk: ModuleWalk, value: unknown, path: Path): unknown => {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  if (typeof value === 'object' && isPlain(value)) return copyInside(walk, value, path);
  const expected = 'expected text, a number, true, false, a list or a mapping';
  return addFinding(
    walk,
    path,
    `${expected}, got ${unsupportedValueText(value)}`,
    unsupportedValueAdvice(value),
  );
};

/** The tree of a module's default export, and what in it no scenario file could hold. */
export const parseModule = (exported: unknown): ParsedTree => {
  const walk: ModuleWalk = { findings: [], within: [] };
  const tree: ScenarioTree = { value: copy(walk, exported, []), positions: modulePositions };
  const problems: readonly ScenarioProblem[] = walk.findings.map((finding) =>
    problemOf(tree, finding),
  );
  return { tree: problems.length === 0 ? tree : null, problems };
};
