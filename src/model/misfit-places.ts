/** A message names at most this many paths, each cut to this many characters. */
const [mostNamed, mostCharacters] = [3, 80];

interface Misfit {
  readonly path: readonly PropertyKey[];
  /** The unknown keys of the object at this path. */
  readonly keys?: readonly string[];
}

/**
 * Names the paths at which stored data does not have the expected form: the first three paths, shortened, and the
 * number of further paths. The messages of the schema library are left out, because users do not know their terms.
 */
export const misfitPlaces = (issues: readonly Misfit[]): string => {
  const found = issues.flatMap(({ path, keys }) =>
    keys === undefined ? [path] : keys.slice(0, mostNamed).map((key) => [...path, key]),
  );
  // A damaged file may have millions of unknown keys, so most of them are only counted.
  const unnamed = issues.map(({ keys = [] }) => Math.max(0, keys.length - mostNamed));
  const places = [...new Set(found.map((path) => path.join('.') || 'the whole'))];
  const named = places
    .slice(0, mostNamed)
    .map((place) =>
      place.length > mostCharacters ? `${place.slice(0, mostCharacters).toWellFormed()}…` : place,
    );
  const left = unnamed.reduce((sum, count) => sum + count, places.length - named.length);
  return left > 0 ? `${named.join(', ')} and ${left} more` : named.join(', ');
};
