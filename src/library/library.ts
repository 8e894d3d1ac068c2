/**
 * The library `weir-bench`. The library prints nothing, handles no signals and sets no exit code. The modules for a run
 * are imported only when a run starts, so a scenario file that imports `defineScenario` loads quickly.
 */
import { Problem } from '../platform/problem.ts';
import { type RunOptions, type ScenarioInput, withWeirErrors } from '../run/input/library-host.ts';
import type { RunReport, RunVerdicts } from '../run/input/run-report.ts';
import { silentHost, stoppedByErrors } from '../run/input/silent-host.ts';

export { check, type CheckOptions } from '../verbs/check/library.ts';
export { type RunOptions, type ScenarioInput, WeirError } from '../run/input/library-host.ts';
export {
  coordinate,
  type CoordinateOptions,
  work,
  type WorkOptions,
} from '../verbs/fleet/library.ts';

/**
 * Returns a scenario unchanged, so that the compiler checks its type. A scenario file in TypeScript exports the
 * scenario, or a function that returns a scenario or a promise of a scenario, as its default export:
 *
 *     import { defineScenario } from 'weir-bench';
 *     export default defineScenario({
 *       traffic: [{ kind: 'models' }],
 *       load: { kind: 'constant', rate: '5/s', duration: '30s' },
 *     });
 */
export const defineScenario = (scenario: ScenarioInput): ScenarioInput => scenario;

/**
 * Runs a scenario, given as an object or as the path of its file. Resolves with the report, even if objectives are
 * broken. Rejects with a `WeirError` if the run cannot begin, or if its files cannot be written to `out`; the error
 * then says where the data is. Rejects with the signal's reason if the signal is already aborted.
 */
export const run = (
  scenario: ScenarioInput | string,
  options: RunOptions = {},
): Promise<RunReport> =>
  withWeirErrors(async () => {
    const { signal, onProgress, out = null, target, set = [], force = false, allowFiles } = options;
    signal?.throwIfAborted();
    const { runOnce } = await import('../run/run.ts');
    const { bareRequest } = await import('../run/input/run-request.ts');
    const { reportOf } = await import('../run/output/run-summary.ts');
    const { reportProgress } = await import('../run/watch/live-display.ts');
    const named =
      typeof scenario === 'string' ? { scenario } : { scenario: undefined, value: scenario };
    const request = {
      ...bareRequest,
      source: { ...named, flags: {}, set, target, allowFiles },
      out,
      yes: force,
    };
    const { stop, onSecond, failure } = stoppedByErrors(onProgress, signal);
    const warnings: string[] = [];
    const host = silentHost(options.environment, stop, warnings);
    const finished = await runOnce(request, host, (plan) =>
      onProgress === undefined ? {} : reportProgress(plan, onSecond),
    );
    if (finished.written === 'unwritten') throw new Problem(warnings.join(' '));
    failure.throwIfAborted();
    return reportOf(finished);
  });

/** Reads a stored result: a `result.json`, the checkpoint of a killed run, or a folder with either file. */
export const readResult = (path: string): Promise<RunReport> =>
  withWeirErrors(async () => {
    const { readStoredResult } = await import('../run/input/read-result.ts');
    const { judgeResult } = await import('../run/output/judge-result.ts');
    const { reportOf, summarized } = await import('../run/output/run-summary.ts');
    return reportOf(summarized(judgeResult((await readStoredResult(path)).result)));
  });

/** Judges a report again. `objectives`, such as `endToEnd.p95 < 2s`, replace the report's own. */
export const judge = (
  { result }: Pick<RunReport, 'result'>,
  { objectives }: { readonly objectives?: readonly string[] } = {},
): Promise<RunVerdicts> =>
  withWeirErrors(async () => {
    const { withObjectives } = await import('../run/input/with-objectives.ts');
    const { judgeResult } = await import('../run/output/judge-result.ts');
    const { verdictsOf } = await import('../run/output/run-summary.ts');
    return verdictsOf(judgeResult(withObjectives(result, objectives)));
  });
