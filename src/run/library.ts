/**
 * The library `weir-bench`. It prints nothing, handles no signals and sets no exit code. What a run
 * needs is imported only when it is called, so that a scenario file which imports `defineScenario`
 * loads at once.
 */
import type { z } from 'zod';
import type { CheckProfile, CheckReport } from '../model/check/check-report.ts';
import { processEnvironment } from '../platform/process/this-process.ts';
import { Problem } from '../platform/problem.ts';
import type { scenarioSchema } from '../scenario/schema/scenario-schema.ts';
import type { Host, OnStop } from './input/host.ts';
import type { ProgressReport, RunReport, RunVerdicts } from './input/run-report.ts';

/** A scenario as users write it, with quantities as text (`5/s`, `30s`), as in a YAML file. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/**
 * Gives a scenario its type and returns it unchanged. A scenario file in TypeScript exports the
 * scenario, or a function that returns one or a promise of one, as its default:
 *
 *     import { defineScenario } from 'weir-bench';
 *     export default defineScenario({
 *       traffic: [{ kind: 'models' }],
 *       load: { kind: 'constant', rate: '5/s', duration: '30s' },
 *     });
 */
export const defineScenario = (scenario: ScenarioInput): ScenarioInput => scenario;

/** An expected failure, such as a wrong scenario or a target that cannot be used; the message is what `weir` prints. */
export class WeirError extends Error {
  override readonly name = 'WeirError';
}

/** All optional. */
export interface RunOptions {
  /** Stops the run as Ctrl-C does: no new requests, two seconds for those in flight, and a partial report. */
  readonly signal?: AbortSignal | undefined;
  /** Called once a second of the load. If it throws, the run stops and `run` rejects with that error. */
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** The folder for `result.json` and `report.html`; by default nothing is written. */
  readonly out?: string | undefined;
  /** A base address (`https://host/v1`), `mock` or `container`, in place of the scenario's. */
  readonly target?: string | undefined;
  /** Overrides fields of the scenario, as `path=value`. */
  readonly set?: readonly string[] | undefined;
  /** Lets a scenario file name files outside its folder. */
  readonly allowFiles?: boolean | undefined;
  /** Runs the scenario even if it does not fit its own budget or pace. */
  readonly force?: boolean | undefined;
  /** The variables for keys and `${env:NAME}`; by default those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Rejects with a `WeirError` for every expected failure; other errors are defects of Weir. */
const withWeirErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem ? new WeirError(error.message, { cause: error }) : error;
  }
};

const stopOnAbort =
  (signal: AbortSignal): OnStop =>
  (listener) => {
    const onAbort = (): void => listener('AbortSignal', 1);
    if (signal.aborted) queueMicrotask(onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  };

/** A host that prints nothing; `warnings` grows. */
const silentHost = (
  environment: RunOptions['environment'],
  signal: AbortSignal,
  warnings: string[],
): Host => ({
  environment: environment ?? processEnvironment(),
  printer: {
    say: () => undefined,
    warn: (text) => warnings.push(text),
    print: () => undefined,
    close: () => undefined,
    listFiles: () => undefined,
    screen: null,
  },
  onStop: stopOnAbort(signal),
  ask: null,
});

/**
 * Runs a scenario, or the scenario file at a path, and resolves with its report, even if objectives
 * are broken. Rejects with a `WeirError` if the run cannot begin, or if `out` cannot take its files (the message
 * says where its data is), and with the signal's reason if it is already aborted.
 */
export const run = (
  scenario: ScenarioInput | string,
  options: RunOptions = {},
): Promise<RunReport> =>
  withWeirErrors(async () => {
    const { signal, onProgress, out = null, target, set = [], force = false, allowFiles } = options;
    signal?.throwIfAborted();
    const { runOnce } = await import('./run.ts');
    const { reportOf } = await import('./output/run-summary.ts');
    const { reportProgress } = await import('./watch/report-progress.ts');
    const named =
      typeof scenario === 'string' ? { scenario } : { scenario: undefined, value: scenario };
    const request = {
      source: { ...named, flags: {}, set, target, allowFiles },
      out,
      extraReports: {},
      observations: undefined,
      capture: undefined,
      metricsExport: { metrics: null, otlp: null },
      slice: { index: 0, count: 1 },
      runId: undefined,
      history: null,
      yes: force,
    };
    // An error in the caller's function ends the run as a stop does, instead of the caller's process.
    const failure = new AbortController();
    const stop = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]);
    const onSecond = (progress: ProgressReport): void => {
      try {
        onProgress?.(progress);
      } catch (error) {
        failure.abort(error);
      }
    };
    const warnings: string[] = [];
    const host = silentHost(options.environment, stop, warnings);
    const finished = await runOnce(request, host, (plan) =>
      onProgress === undefined ? {} : reportProgress(plan, onSecond),
    );
    if (finished.written === 'unwritten') throw new Problem(warnings.join(' '));
    failure.signal.throwIfAborted();
    return reportOf(finished);
  });

/** All optional. */
export interface CheckOptions extends Pick<
  RunOptions,
  'signal' | 'set' | 'allowFiles' | 'environment'
> {
  /** A scenario file for target, key and headers. */
  readonly scenario?: string | undefined;
  /** The environment variable with the key; `WEIR_API_KEY` by default. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly voice?: string | undefined;
  readonly speechModel?: string | undefined;
  readonly transcriptionModel?: string | undefined;
  /** The server whose known gaps are set apart from what it breaks; `spec` by default. */
  readonly profile?: CheckProfile | undefined;
  /** Checks or topics. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** Sends only requests that cost nothing if all goes well. */
  readonly noCost?: boolean | undefined;
  /** The most that one answer may take, for example `45s`. */
  readonly timeout?: string | undefined;
}

/**
 * Checks whether a gateway (`https://host/v1`, or `mock`) keeps the interface, and resolves with the report, whatever was found. It asks
 * nobody before it spends its budget: some 65 requests, 1,600 tokens, 300 characters of speech and 80 seconds of audio. Rejects with a
 * `WeirError` if nothing can be checked.
 */
export const check = (
  target: string | undefined,
  options: CheckOptions = {},
): Promise<CheckReport> =>
  withWeirErrors(async () => {
    const { signal, environment, scenario, set = [], only, skip, noCost = false } = options;
    signal?.throwIfAborted();
    const { performCheck } = await import('./check/perform-check.ts');
    const { allowFiles, key, model, voice, speechModel, transcriptionModel } = options;
    const host = silentHost(environment, signal ?? new AbortController().signal, []);
    const { report } = await performCheck(
      {
        scenario,
        target,
        set,
        allowFiles,
        key,
        model,
        voice,
        speechModel,
        transcriptionModel,
        profile: options.profile,
        only: only?.join(','),
        skip: skip?.join(','),
        noCost,
        timeout: options.timeout,
      },
      host,
      async () => undefined,
    );
    return report;
  });

/** Reads a stored result: a `result.json`, the checkpoint of a killed run, or the folder of either. */
export const readResult = (path: string): Promise<RunReport> =>
  withWeirErrors(async () => {
    const { readStoredResult } = await import('./input/read-result.ts');
    const { judgeResult } = await import('./output/judge-result.ts');
    const { reportOf, summarized } = await import('./output/run-summary.ts');
    return reportOf(summarized(judgeResult((await readStoredResult(path)).result)));
  });

/** Judges a report again, by other objectives (`endToEnd.p95 < 2s`) if given. */
export const judge = (
  { result }: Pick<RunReport, 'result'>,
  { objectives }: { readonly objectives?: readonly string[] } = {},
): Promise<RunVerdicts> =>
  withWeirErrors(async () => {
    const { withObjectives } = await import('./input/with-objectives.ts');
    const { judgeResult } = await import('./output/judge-result.ts');
    const { verdictsOf } = await import('./output/run-verdicts.ts');
    return verdictsOf(judgeResult(withObjectives(result, objectives)));
  });
