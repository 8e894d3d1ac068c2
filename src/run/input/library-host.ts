import type { z } from 'zod';
import { Problem } from '../../platform/problem.ts';
import type { scenarioSchema } from '../../scenario/schema/scenario-schema.ts';
import type { ProgressReport } from './run-report.ts';

/** This file contains the types and errors that the functions of the library share. */

/** A scenario as users write it, with quantities as text (`5/s`, `30s`), as in a YAML file. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

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

/** Rejects with a `WeirError` for every expected failure. Any other error is a defect of Weir. */
export const withWeirErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem ? new WeirError(error.message, { cause: error }) : error;
  }
};
