import { type Bench, boundOutcomeOf, type BenchRow } from './bench.ts';

const figure = (value: number, unit: string): string =>
  Number.isFinite(value) ? `${Number(value.toPrecision(4))} ${unit}` : '–';

const table = (rows: readonly BenchRow[]): string => {
  const cells = rows.map((row) => [
    row.what,
    figure(row.value, row.unit),
    row.ruler === undefined ? '' : `bare ${figure(row.ruler, row.unit)}`,
    row.bound === null ? '' : `${row.bound.kind} ${row.bound.value} ${row.unit}`,
    boundOutcomeOf(row) ?? '',
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** Where the benches tell something: results, and what goes on meanwhile. */
export interface BenchOutput {
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
}

/** What some benches measured. */
export interface BenchResults {
  /** By the bench's name; one that threw has none. */
  readonly results: Readonly<Record<string, readonly BenchRow[]>>;
  /** Whether all of them measured what they should and no bound was broken. */
  readonly isPassed: boolean;
}

/** Runs them one after the other. Whatever one of them throws, the others are run. */
export const runBenches = async (
  benches: readonly Bench[],
  { print, say }: BenchOutput,
): Promise<BenchResults> => {
  const results: Record<string, readonly BenchRow[]> = {};
  let isPassed = true;
  for (const [position, bench] of benches.entries()) {
    say(`${bench.name} (${position + 1} of ${benches.length}): ${bench.about}`);
    try {
      const rows = await bench.run(say);
      results[bench.name] = rows;
      print(`${bench.name}\n${table(rows)}\n`);
    } catch (error) {
      print(
        `${bench.name}\nnot measured: ${error instanceof Error ? error.message : String(error)}\n`,
      );
      isPassed = false;
    }
  }
  const outcomes = new Set(Object.values(results).flat().map(boundOutcomeOf));
  if (outcomes.has('not decided')) {
    print('Not decided: on this machine, in this run, the bare reference broke the bound too.');
  }
  if (outcomes.has('BROKEN') || outcomes.has('not measured')) isPassed = false;
  return { results, isPassed };
};
