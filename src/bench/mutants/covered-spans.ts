/** Starts and ends of disjoint stretches of a text, in turn. */
export type Spans = readonly number[];

interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Returns what ran of nested ranges, of which the innermost one counts. */
export const coveredSpans = (ranges: readonly CountedRange[]): Spans => {
  const outerFirst = ranges.toSorted(
    (a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset),
  );
  const edges = [
    ...new Set(ranges.flatMap(({ startOffset, endOffset }) => [startOffset, endOffset])),
  ];
  edges.sort((a, b) => a - b);
  const indexOf = new Map(edges.map((edge, index) => [edge, index]));
  const counts = edges.map(() => 0);
  for (const { startOffset, endOffset, count } of outerFirst)
    counts.fill(count, indexOf.get(startOffset), indexOf.get(endOffset));
  const isRun = counts.map((count) => count > 0);
  return edges.filter((_, index) => isRun[index] !== (isRun[index - 1] ?? false));
};

/** Returns what ran of a module outside its functions, which runs only while the module is loaded. */
export const loadedSpans = (functions: readonly { readonly ranges: readonly CountedRange[] }[]) =>
  coveredSpans(
    functions.flatMap(({ ranges }) =>
      ranges[0]?.startOffset === 0 ? ranges : ranges.map((range) => ({ ...range, count: 0 })),
    ),
  );

/** Whether a place lies in one of the stretches. */
export const covers = (spans: Spans, place: number): boolean =>
  spans.findLastIndex((edge) => edge <= place) % 2 === 0;
