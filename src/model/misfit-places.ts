/** The most places that are named, and the most characters of one name. */
const [mostNamed, mostCharacters] = [3, 80];

interface Misfit {
  readonly path: readonly PropertyKey[];
  /** The keys at this place that are unknown. */
  readonly keys?: readonly string[];
}

/**
 * Names the places at which stored data does not have the expected form: the first places, shortened, and how many more
 * there are. The words of the schema library are left out, since users do not know them.
 */
export const misfitPlaces = (issues: readonly Misfit[]): string => {
  const found = issues.flatMap(({ path, keys }) =>
    keys === undefined ? [path] : keys.slice(0, mostNamed).map((key) => [...path, key]),
  );
  // A damaged file may have millions of unknown keys.
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
