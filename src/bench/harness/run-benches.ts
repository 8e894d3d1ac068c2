import { type Bench, boundOutcomeOf, type BenchRow, type Say } from './bench.ts';

const figure = (value: number, unit: string): string =>
  Number.isFinite(value) ? `${Number(value.toPrecision(4))} ${unit}` : '–';

const table = (rows: readonly BenchRow[]): string => {
  const cells = rows.map((row) => [
    row.what,
    figure(row.value, row.unit),
    row.reference === undefined ? '' : `bare ${figure(row.reference, row.unit)}`,
    row.bound === null ? '' : `${row.bound.kind} ${row.bound.value} ${row.unit}`,
    boundOutcomeOf(row) ?? '',
  ]);
  const widthOf = (column: number): number =>
    Math.max(...cells.map((line) => line[column]!.length));
  const padded = cells.map((line) => line.map((cell, column) => cell.padEnd(widthOf(column))));
  return padded.map((line) => line.join('  ').trimEnd()).join('\n');
};

/** Rows by the name of their bench; a bench that threw has none. */
type BenchResults = Readonly<Record<string, readonly BenchRow[]>>;

/**
 * Runs benches one after the other; an error in one does not stop the others. `isPassed` if all of them
 * measured what they should and no bound is broken.
 */
export const runBenches = async (
  benches: readonly Bench[],
  { print, say }: { readonly print: Say; readonly say: Say },
): Promise<{ readonly results: BenchResults; readonly isPassed: boolean }> => {
  const results: Record<string, readonly BenchRow[]> = {};
  let isPassed = true;
  for (const [position, { name, about, parts }] of benches.entries()) {
    say(`${name} (${position + 1} of ${benches.length}): ${about}`);
    try {
      const rows: BenchRow[] = [];
      for (const measure of parts) rows.push(...(await measure(say)));
      results[name] = rows;
      print(`${name}\n${table(rows)}\n`);
    } catch (error) {
      print(`${name}\nnot measured: ${error instanceof Error ? error.message : String(error)}\n`);
      isPassed = false;
    }
  }
  const outcomes = new Set(Object.values(results).flat().map(boundOutcomeOf));
  if (outcomes.has('inconclusive')) {
    print('Inconclusive: on this machine, in this run, the bare reference broke the bound too.');
  }
  if (outcomes.has('BROKEN') || outcomes.has('not measured')) isPassed = false;
  return { results, isPassed };
};
