import { join } from 'node:path';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import type { ComparisonRequest } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { UsageProblem } from './options.ts';
import { publishComparison } from './publish-comparison.ts';
import { publishNoise } from './publish-noise.ts';
import { readGates } from './read-gates.ts';
import { checkDistinct, readSide } from './read-side.ts';
import type { Telling } from './report-options.ts';

/** What `weir compare` was asked of any runs. */
interface RunsOrder extends ComparisonRequest, Pick<Telling, 'json' | 'quiet'> {
  /** Result files, folders that hold them, or baselines of the history. */
  readonly base: readonly string[];
  readonly out: string | undefined;
}

/** Two sides to hold against each other. */
export interface CompareOrder extends RunsOrder {
  readonly next: readonly string[];
}

/** Two paths are the two sides; more need `--with` before those of the new side. */
export const sidesFrom = (
  paths: readonly string[],
  others: readonly string[],
): { readonly base: readonly string[]; readonly next: readonly string[] } => {
  if (others.length > 0) return { base: paths, next: others };
  const [base, next, ...more] = paths;
  if (base === undefined || next === undefined || more.length > 0) {
    throw new UsageProblem(
      `expected two sides, \`weir compare BASE NEW\` or \`weir compare BASE… --with NEW…\`; got ${paths.length === 1 ? 'one' : `${paths.length} paths without --with`}`,
    );
  }
  return { base: [base], next: [next] };
};

const folderFor =
  ({ out }: RunsOrder, kind: 'comparison' | 'noise') =>
  (): Promise<RunFolder> =>
    openRunFolder(out ?? join('reports', folderName(wallClock(), kind)));

/** Holds the stored runs of one side against those of another. */
export const compare = async (order: CompareOrder): Promise<ExitName> => {
  const gates = readGates(order.gate);
  const next = await readSide(order.next, null);
  const base = await readSide(order.base, next.repetitions[0].result.planHash);
  checkDistinct(base, next);
  return publishComparison(
    { ...order, gates, base, next, intended: [] },
    folderFor(order, 'comparison'),
    order,
  );
};

/** Holds stored runs against each other, by halves: how much they differ by themselves. */
export const compareSelf = async (order: RunsOrder): Promise<ExitName> => {
  const gates = readGates(order.gate);
  const side = await readSide(order.base, null);
  checkDistinct(side);
  return publishNoise({ ...order, gates, side }, folderFor(order, 'noise'), order);
};
