import type { OutputOptions, ComparisonCriteria } from '../../run/input/run-request.ts';
import { join } from 'node:path';
import { wallClock } from '../../platform/host/clock.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { folderName } from '../../run/input/folder-name.ts';
import { UsageProblem } from '../options/scenario-options.ts';
import { publishComparison } from '../../run/output/publish-comparison.ts';
import { publishNoise } from '../../run/output/publish-noise.ts';
import { readGates } from '../../run/input/read-gates.ts';
import { checkDistinct, readSide } from '../../run/input/read-side.ts';

/** What `weir compare` was asked of any runs. */
interface StoredRunsRequest extends ComparisonCriteria, Pick<OutputOptions, 'json' | 'quiet'> {
  /** Result files, folders that hold them, or baselines of the history. */
  readonly base: readonly string[];
  readonly out: string | undefined;
}

/** Two sides to hold against each other. */
export interface CompareRequest extends StoredRunsRequest {
  readonly next: readonly string[];
}

/** Two paths are the two sides; more need `--with` before those of the new side. */
export const sidesFrom = (
  paths: readonly string[],
  newPaths: readonly string[],
): { readonly base: readonly string[]; readonly next: readonly string[] } => {
  if (newPaths.length > 0) return { base: paths, next: newPaths };
  const [base, next, ...more] = paths;
  if (base === undefined || next === undefined || more.length > 0) {
    throw new UsageProblem(
      `expected two sides, \`weir compare BASE NEW\` or \`weir compare BASE… --with NEW…\`; got ${paths.length === 1 ? 'one' : `${paths.length} paths without --with`}`,
    );
  }
  return { base: [base], next: [next] };
};

const folderFor =
  ({ out }: StoredRunsRequest, kind: 'comparison' | 'noise') =>
  (): Promise<RunFolder> =>
    openRunFolder(out ?? join('reports', folderName(wallClock(), kind)));

/** Holds the stored runs of one side against those of another. */
export const compare = async (request: CompareRequest): Promise<ExitName> => {
  const gates = readGates(request.gate);
  const next = await readSide(request.next, null);
  const base = await readSide(request.base, next.repetitions[0].result.planHash);
  checkDistinct(base, next);
  return publishComparison(
    { ...request, gates, base, next, intended: [] },
    folderFor(request, 'comparison'),
    request,
  );
};

/** Holds stored runs against each other, by halves: how much they differ by themselves. */
export const compareSelf = async (request: StoredRunsRequest): Promise<ExitName> => {
  const gates = readGates(request.gate);
  const side = await readSide(request.base, null);
  checkDistinct(side);
  return publishNoise({ ...request, gates, side }, folderFor(request, 'noise'), request);
};
