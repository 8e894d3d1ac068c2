import { atLeast, atMost, type BenchPart, type BenchRow, benchRow } from '../harness/bench.ts';
import { comparedText } from '../harness/true-figures.ts';
import {
  canBeUndisturbed,
  type Neighbour,
  neighbours,
  noNeighbour,
  undisturbed,
} from './neighbours.ts';
import { mixed, streams, type ComparedLoad, comparedLoads } from './compared-loads.ts';
import { compareRun, type ComparedRun } from './compared-run.ts';

/** Runs of each load beside each neighbour: 210 in all, three quarters of an hour. */
const requestedRounds = (): number => {
  const text = process.env['WEIR_TRUTH_ROUNDS'] ?? '7';
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`WEIR_TRUTH_ROUNDS=${text}: expected a whole number of rounds, for example 2`);
};

interface Cell {
  readonly neighbour: Neighbour;
  readonly load: ComparedLoad;
  readonly runs: readonly ComparedRun[];
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? Number.NaN : (part / whole) * 100;

const isValid = ({ trust }: ComparedRun): boolean => trust.level === 'valid';

/** The share of figures, in percent, that are inside their bounds, over some runs. */
const insideOf = (runs: readonly ComparedRun[]): number => {
  const figures = runs.flatMap((run) => run.figures);
  return percent(figures.filter((figure) => figure.isInside).length, figures.length);
};

const cellRow = ({ neighbour, load, runs }: Cell): BenchRow => {
  const valid = runs.filter(isValid).length;
  const what = `${load.name}, neighbour: ${neighbour.name}; ${runs.length} runs, ${valid} VALID: figures inside their bounds`;
  return benchRow(what, '%', insideOf(runs), atLeast(95));
};

const validRow = ({ neighbour, load, runs }: Cell): BenchRow =>
  benchRow(
    `${load.name}, neighbour: ${neighbour.name}: VALID of ${runs.length} runs`,
    '%',
    percent(runs.filter(isValid).length, runs.length),
    atLeast(99),
  );

/** Loads that leave a core nearly idle. */
const lightLoads: readonly ComparedLoad[] = [mixed, streams];

/** Loads that need a whole core do not run before all other programs: the system would hardly run. */
const cellsOf = () =>
  [...(canBeUndisturbed ? [undisturbed] : []), ...neighbours].flatMap((neighbour) =>
    (neighbour === undisturbed ? lightLoads : comparedLoads).map((load) => ({
      neighbour,
      load,
      runs: [] as ComparedRun[],
    })),
  );

/** Whether the bounds that a run publishes contain the true values from the gateway's trace log, whatever else the machine does. */
export const measureFigureBounds: BenchPart = async (say) => {
  const cells = cellsOf();
  const rounds = requestedRounds();
  for (let round = 1; round <= rounds; round += 1) {
    for (const { neighbour, load, runs } of cells) {
      const run = await compareRun(load, neighbour);
      const title = `truth, round ${round} of ${rounds}: ${load.name}, neighbour: ${neighbour.name}`;
      if (run === null) {
        say(`${title}: this machine does not allow it`);
        continue;
      }
      runs.push(run);
      const outside = run.figures.filter((figure) => !figure.isInside);
      say([`${title}: ${run.trust.level}`, ...outside.map(comparedText)].join('\n  outside: '));
    }
  }
  const measured = cells.filter(({ runs }) => runs.length > 0);
  const calm = measured.filter(
    ({ neighbour, load }) =>
      neighbour === undisturbed || (neighbour === noNeighbour && lightLoads.includes(load)),
  );
  const valid = measured.flatMap(({ runs }) => runs.filter(isValid));
  const what = `figures of ${valid.length} VALID runs outside their bounds`;
  return [
    ...measured.map(cellRow),
    ...calm.map(validRow),
    benchRow(what, '%', 100 - insideOf(valid), atMost(5)),
  ];
};
