import type { RunReport } from '../../run/input/run-report.ts';
import { silentHost, stoppedByErrors } from '../../run/input/silent-host.ts';
import {
  type RunOptions,
  type ScenarioInput,
  withWeirErrors,
} from '../../run/input/library-host.ts';
import { Problem } from '../../platform/problem.ts';
import type { LossPolicy } from './loss-policies.ts';

/**
 * This part of the library is for one run on several machines. Other modules are imported only when a function is
 * called.
 */

interface MeetingOptions extends Pick<RunOptions, 'signal' | 'allowFiles' | 'environment'> {
  /** The address of the rendezvous: `nats://HOST:4222`, `tls://HOST:4222` or `file:///SHARED-FOLDER`. */
  readonly rendezvous: string;
  /** The maximum time to wait for the other machines, in ms; five minutes by default. */
  readonly wait?: number | undefined;
}

export interface CoordinateOptions
  extends MeetingOptions, Pick<RunOptions, 'onProgress' | 'out' | 'target' | 'set' | 'force'> {
  readonly slices: number;
  /** Whether the other slices stop or continue if one slice is lost; `stop` by default. */
  readonly onLost?: LossPolicy | undefined;
  /** The silence in ms after which the other side counts as gone: at least 2000; 10,000 by default. */
  readonly silence?: number | undefined;
}

export interface WorkOptions extends MeetingOptions {
  /** The slice that this worker runs; by default the next free slice. */
  readonly slice?: { readonly index: number; readonly count: number } | undefined;
  /** The folder with the scenario's files; by default the working directory. */
  readonly folder?: string | undefined;
  /** A folder for the slice's result. By default, the result is only written if the coordinator did not receive it. */
  readonly out?: string | undefined;
  /** Whether each key asks for the list of models before the load; `true` by default. */
  readonly keyCheck?: boolean | undefined;
}

const usual = { wait: 300_000, silence: 10_000, least: 2000 };

/**
 * Leads a run of several slices, as `weir coordinate` does, and resolves with one report of all slices. Rejects with a
 * `WeirError` before any request is sent if the run cannot begin. Also rejects if no slice has a result.
 */
export const coordinate = (
  scenario: ScenarioInput | string,
  options: CoordinateOptions,
): Promise<RunReport> =>
  withWeirErrors(async () => {
    const { signal, onProgress, slices, target, allowFiles, rendezvous } = options;
    signal?.throwIfAborted();
    const { wait = usual.wait, silence = usual.silence, onLost = 'stop', out = null } = options;
    if (!Number.isSafeInteger(slices) || slices < 1)
      throw new Problem(`slices: expected a whole number from 1 on, got ${slices}`);
    if (!(silence >= usual.least))
      throw new Problem(`silence: expected at least ${usual.least} ms, got ${silence}`);
    const { coordinateOnce } = await import('./coordinate.ts');
    const { reportOf } = await import('../../run/output/run-summary.ts');
    const named =
      typeof scenario === 'string' ? { scenario } : { scenario: undefined, value: scenario };
    const { set = [], force = false } = options;
    const source = { ...named, flags: {}, set, target, allowFiles };
    const common = { runId: undefined, extraReports: {}, history: null, yes: force };
    const request = { source, slices, rendezvous, onLost, silence, wait, out, ...common };
    const { stop, onSecond, failure } = stoppedByErrors(onProgress, signal);
    const warnings: string[] = [];
    const host = silentHost(options.environment, stop, warnings);
    const { published } = await coordinateOnce(request, host, onSecond);
    failure.throwIfAborted();
    if (published === null || published.written === 'unwritten')
      throw new Problem(warnings.join(' '));
    return reportOf(published);
  });

/**
 * Runs one slice of a run that a coordinator leads, as `weir worker` does. `complete` says whether the slice is
 * complete and the coordinator has the result. If the slice is incomplete or not received, `warnings` has a message.
 * Rejects with a `WeirError` before any request is sent if the slice cannot begin.
 */
export const work = (
  options: WorkOptions,
): Promise<{ readonly complete: boolean; readonly warnings: readonly string[] }> =>
  withWeirErrors(async () => {
    const { signal, rendezvous, slice = null, out, allowFiles = false } = options;
    const { wait = usual.wait, folder = '.', keyCheck = true } = options;
    signal?.throwIfAborted();
    const { workOnce } = await import('./work.ts');
    const warnings: string[] = [];
    const stop = signal ?? new AbortController().signal;
    const host = silentHost(options.environment, stop, warnings);
    const request = { rendezvous, slice, wait, out, keyCheck, folder, allowFiles };
    const exit = await workOnce({ ...request, observations: undefined }, host);
    return { complete: exit === 'pass', warnings };
  });
