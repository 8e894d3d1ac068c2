import {
  dottedPath,
  positionOf,
  type Path,
  type ScenarioTree,
  type SourcePosition,
} from './scenario-tree.ts';

/** A position in a scenario; a flag may stand beside a place in the file that would be right without it. */
export interface ScenarioPlace extends SourcePosition {
  /** What it is about, as `--set` writes it, for example `traffic.0.model`. */
  readonly path: string;
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
  /** The missing key that this unknown one was probably meant to be: one slip, not two. */
  readonly meant?: Path | undefined;
}

export const placeOf = (
  tree: ScenarioTree,
  path: Path,
  part: ScenarioFinding['part'],
): ScenarioPlace => ({ path: dottedPath(path), ...positionOf(tree, path, part) });

export const problemOf = (
  tree: ScenarioTree,
  { path, part, message, hint }: ScenarioFinding,
): ScenarioProblem => ({ ...placeOf(tree, path, part), message, hint });

/** In the order of the file, those of flags last, each once. */
export const sortedProblems = (
  problems: readonly ScenarioProblem[],
): readonly ScenarioProblem[] => {
  const single = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  const last = Number.MAX_SAFE_INTEGER;
  return [...single.values()].toSorted(
    (a, b) => (a.line ?? last) - (b.line ?? last) || (a.column ?? 0) - (b.column ?? 0),
  );
};

const placeText = ({ path, line, column, flag }: ScenarioPlace, name: string): string => {
  const place = line === null ? null : `${name}:${line}:${column}`;
  if (flag !== null) return place === null ? flag : `${place} with ${flag}`;
  if (place !== null) return place;
  return path === '' ? name : `${name}: ${path}`;
};

/** One line each: `file:line:column: message; hint`, with the flag or the path inside a module in the place of the position, or a flag beside it. */
export const problemsText = (problems: readonly ScenarioProblem[], name: string): string => {
  const lines = problems.map((problem) => {
    const { message, hint } = problem;
    return `${placeText(problem, name)}: ${message}${hint === null ? '' : `; ${hint}`}`;
  });
  return lines.join('\n');
};
