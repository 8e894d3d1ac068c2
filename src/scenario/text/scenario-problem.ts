import { dottedPath, positionOf, type Path, type ScenarioTree } from './scenario-tree.ts';

/** A position in a scenario. */
export interface ScenarioPlace {
  /** What it is about, as `--set` writes it, for example `traffic.0.model`. */
  readonly path: string;
  /** Where in the file, from 1; `null` when a flag or a module brought it. */
  readonly line: number | null;
  readonly column: number | null;
  /** The flag that brought it, for example `--set load.rate`, or without which a place in the file would be right; `null` when none has a part in it. */
  readonly flag: string | null;
}

/** Something in a scenario that must be put right before it can run. */
export interface ScenarioProblem extends ScenarioPlace {
  readonly message: string;
  /** What to do about it; `null` when the message says all. */
  readonly hint: string | null;
}

/** What is wrong with a path, before its place is looked up. */
export interface ScenarioFinding {
  readonly path: Path;
  /** Whether to point at the entry's key or at its value. */
  readonly part: 'key' | 'value';
  readonly message: string;
  readonly hint: string | null;
}

export const placeOf = (
  tree: ScenarioTree,
  path: Path,
  part: ScenarioFinding['part'],
): ScenarioPlace => {
  const mark = positionOf(tree, path, part);
  const { line, column } = mark.kind === 'text' ? mark : { line: null, column: null };
  return { path: dottedPath(path), line, column, flag: mark.kind === 'flag' ? mark.flag : null };
};

export const problemOf = (
  tree: ScenarioTree,
  { path, part, message, hint }: ScenarioFinding,
): ScenarioProblem => ({
  ...placeOf(tree, path, part),
  message,
  hint,
});

const position = (problem: ScenarioProblem): number =>
  problem.line === null ? Number.POSITIVE_INFINITY : problem.line * 1e6 + (problem.column ?? 0);

/** In the order of the file, those of flags last, each once. */
export const sortedProblems = (
  problems: readonly ScenarioProblem[],
): readonly ScenarioProblem[] => {
  const seen = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...seen.values()].toSorted((a, b) => {
    const [left, right] = [position(a), position(b)];
    return left === right ? 0 : left - right;
  });
};

const placeText = ({ path, line, column, flag }: ScenarioPlace, name: string): string => {
  const place = line === null ? null : `${name}:${line}:${column}`;
  if (flag !== null) return place === null ? flag : `${place} with ${flag}`;
  if (place !== null) return place;
  return path === '' ? name : `${name}: ${path}`;
};

/** One line each: `file:line:column: message; hint`, with the flag or the path inside a module in the place of the position, or a flag beside it. */
export const problemsText = (problems: readonly ScenarioProblem[], name: string): string =>
  problems
    .map((problem) => {
      const { message, hint } = problem;
      return `${placeText(problem, name)}: ${message}${hint === null ? '' : `; ${hint}`}`;
    })
    .join('\n');
