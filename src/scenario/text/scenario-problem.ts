import {
  dottedPath,
  positionOf,
  type Path,
  type ScenarioTree,
  type SourcePosition,
} from './scenario-tree.ts';

/** A place in a scenario. The place also names the flag that causes a problem, if there is such a flag. */
export interface ScenarioPlace extends SourcePosition {
  /** The path in the notation of `--set`, for example `traffic.0.model`. */
  readonly path: string;
}

/** A problem of a scenario that must be fixed before the scenario can run. */
export interface ScenarioProblem extends ScenarioPlace {
  readonly message: string;
  /** Advice on what to do; `null` if the message is enough. */
  readonly hint: string | null;
}

/** A problem at a path of the scenario, before the line and column of the path are known. */
export interface ScenarioFinding {
  readonly path: Path;
  /** Whether the problem is shown at the key or at the value. */
  readonly part: 'key' | 'value';
  readonly message: string;
  readonly hint: string | null;
  /**
   * If the problem is an unknown key: the path of the missing key that the user probably meant. This missing key is not
   * reported as a second problem.
   */
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

/** Sorts problems in the order of the file, puts the problems of flags last, and removes duplicates. */
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

/** The maximum number of problems that are shown at once. */
const maxShownProblems = 40;

/**
 * Formats problems, one per line, as `file:line:column: message; hint`. If a flag of the command line causes a problem,
 * the flag follows the position (`with --set x`) or replaces the position. Without a position, the place is `file:
 * path`.
 */
export const problemsText = (problems: readonly ScenarioProblem[], name: string): string => {
  const lines = problems.slice(0, maxShownProblems).map((problem) => {
    const { message, hint } = problem;
    return `${placeText(problem, name)}: ${message}${hint === null ? '' : `; ${hint}`}`;
  });
  const more = problems.length - lines.length;
  if (more > 0)
    lines.push(`and ${more} more ${more === 1 ? 'problem' : 'problems'}; mend these first`);
  return lines.join('\n');
};
