import { historyPath } from '../../run/input/report-paths.ts';
import type { Host } from '../../run/input/host.ts';
import { checkDistinct, readSide } from '../../run/input/read-side.ts';
import { readGates, publishComparison, publishNoise } from './publish-comparison.ts';
import type { ComparisonCriteria } from '../../run/input/run-request.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { sayLateSteps } from '../../run/output/write-outputs.ts';
import { monotonicNow } from '../../platform/host/clock.ts';

interface CompareRequest extends ComparisonCriteria {
  /** The runs of the base: result files, folders that contain them, or baselines of the history. */
  readonly base: readonly string[];
  /** The runs of the other side. `null` means that the runs of the base are compared with each other. */
  readonly next: readonly string[] | null;
  readonly out: string | undefined;
  readonly jobSummary: string | undefined;
}

export const compareStored = async (
  request: CompareRequest,
  { environment, printer }: Host,
): Promise<ExitName> => {
  const gates = readGates(request.gate);
  const history = historyPath(environment);
  // With many files, a line for each would be too long a list, so lines are printed less and less often.
  const sayStep = sayLateSteps(printer.say, monotonicNow);
  const onStep = (step: string): void => sayStep(step, 'goes on');
  const publishOptions = { printer, jobSummary: request.jobSummary };
  if (request.next === null) {
    const side = await readSide(request.base, { planHash: null, history, onStep });
    checkDistinct(side);
    const open = () => openOutputFolder(request.out, 'noise', printer.say);
    return publishNoise({ ...request, gates, side }, open, publishOptions);
  }
  const next = await readSide(request.next, { planHash: null, history, onStep });
  const { planHash } = next.repetitions[0].result;
  const base = await readSide(request.base, { planHash, history, onStep });
  checkDistinct(base, next);
  const open = () => openOutputFolder(request.out, 'comparison', printer.say);
  return publishComparison({ ...request, gates, base, next, intended: [] }, open, publishOptions);
};
