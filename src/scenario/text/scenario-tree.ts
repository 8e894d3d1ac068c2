/**
 * A scenario as it was written: plain values, and the position of each value. With the positions, a later problem can
 * be shown at its line and column, or at the flag that gave the value.
 */
export interface ScenarioTree {
  readonly value: unknown;
  /**
   * The positions of the values. The keys are made by `pathKey`. A value without a position has the position of the
   * nearest parent with a position.
   */
  readonly positions: ReadonlyMap<string, EntryPositions>;
}

export type Path = readonly (string | number)[];

/**
 * A position in the text, counted from 1, or the flag that gave a value. A value of a module has only a path and no
 * position.
 */
export interface SourcePosition {
  readonly line: number | null;
  readonly column: number | null;
  readonly flag: string | null;
}

/** The positions of an entry's key and value. `isPlainScalar` means that the value is a single value without quotes. */
export interface EntryPositions {
  readonly key: SourcePosition;
  readonly value: SourcePosition;
  readonly isPlainScalar: boolean;
}

export const flagPositions = (flag: string): EntryPositions => {
  const position = { line: null, column: null, flag };
  return { key: position, value: position, isPlainScalar: true };
};

export const pathKey = (path: Path): string => JSON.stringify(path);

/** Formats a path in the notation of `--set`, which messages also use. */
export const dottedPath = (path: Path): string => path.join('.');

/**
 * Returns the position of a path. If no value is at the path, returns the position of the key of the nearest parent.
 */
export const positionOf = (
  tree: ScenarioTree,
  path: Path,
  part: 'key' | 'value',
): SourcePosition => {
  const own = tree.positions.get(pathKey(path));
  if (own !== undefined) return own[part];
  if (path.length === 0) return { line: 1, column: 1, flag: null };
  return positionOf(tree, path.slice(0, -1), 'key');
};

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Copies a list or a mapping, and replaces each inner value by the result of `change`. Any other value stays unchanged.
 */
export const withEachValue = (
  value: unknown,
  change: (inner: unknown, step: string | number) => unknown,
): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => change(item, index));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, change(inner, name)]);
  return Object.fromEntries(entries);
};

/** Returns the value at a path; `undefined` if no value is at the path. */
export const valueAtPath = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inside, step) => {
    if (Array.isArray(inside)) return typeof step === 'number' ? inside[step] : undefined;
    return isMapping(inside) && Object.hasOwn(inside, step) ? inside[step] : undefined;
  }, value);

/**
 * Copies `value` with `leaf` at `path`. A missing parent becomes a list if the next step of the path is a number, and a
 * mapping otherwise.
 */
export const withValueAtPath = (value: unknown, path: Path, leaf: unknown): unknown => {
  const [step, ...rest] = path;
  if (step === undefined) return leaf;
  if (typeof step === 'number') {
    const copy: unknown[] = Array.isArray(value) ? Array.from<unknown>(value) : [];
    copy[step] = withValueAtPath(copy[step], rest, leaf);
    return copy;
  }
  const entries = isMapping(value) ? Object.entries(value) : [];
  const at = entries.findIndex(([key]) => key === step);
  const entry: [string, unknown] = [step, withValueAtPath(entries[at]?.[1], rest, leaf)];
  // The copy is made from entries, so that a key named __proto__ becomes an ordinary key.
  return Object.fromEntries(at < 0 ? [...entries, entry] : entries.with(at, entry));
};

/** Copies the tree with `leaf` at `path`. `leaf` and its missing parents get the flag as their position. */
export const withFlagValue = (
  tree: ScenarioTree,
  path: Path,
  leaf: unknown,
  flag: string,
): ScenarioTree => {
  const below = pathKey(path).slice(0, -1);
  const positions = new Map(
    [...tree.positions].filter(([key]) => !(key.startsWith(`${below},`) || key === `${below}]`)),
  );
  for (const step of path.keys()) {
    const place = path.slice(0, step + 1);
    const isNew = (valueAtPath(tree.value, place) ?? null) === null;
    if (isNew || place.length === path.length) {
      positions.set(pathKey(place), flagPositions(flag));
    }
  }
  return { value: withValueAtPath(tree.value, path, leaf), positions };
};

/** Returns the path of a value within its population, its named target or the scenario. */
export const pathInPart = (path: Path): Path =>
  path.length > 1 && (path[0] === 'populations' || path[0] === 'targets') ? path.slice(2) : path;
