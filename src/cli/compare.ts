import { join } from 'node:path';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder } from '../platform/files.ts';
import type { ComparisonRequest } from './compare-options.ts';
import type { ExitName } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { UsageProblem } from './options.ts';
import { publishComparison } from './publish-comparison.ts';
import { readGates } from './read-gates.ts';
import { checkDistinct, readSide } from './read-side.ts';
import type { Telling } from './report-options.ts';

/** What `weir compare` was asked. */
export interface CompareOrder extends ComparisonRequest, Pick<Telling, 'json' | 'quiet'> {
  /** Result files, or folders that hold them. */
  readonly base: readonly string[];
  readonly next: readonly string[];
  readonly out: string | undefined;
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

/** Holds the stored runs of one side against those of another. */
export const compare = async (order: CompareOrder): Promise<ExitName> => {
  const gates = readGates(order.gate);
  const [base, next] = await Promise.all([readSide(order.base), readSide(order.next)]);
  checkDistinct(base, next);
  const out = order.out ?? join('reports', folderName(wallClock(), 'comparison'));
  return publishComparison(
    { ...order, gates, base, next, intended: [] },
    () => openRunFolder(out),
    order,
  );
};
