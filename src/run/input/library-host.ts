import type { z } from 'zod';
import type { ProblemKind } from '../../model/problem-kind.ts';
import { Problem } from '../../platform/problem.ts';
import type { scenarioSchema } from '../../scenario/schema/scenario-schema.ts';
import type { ProgressReport } from './run-report.ts';

/** This file contains the types and errors that the functions of the library share. */

/** A scenario as users write it: quantities are texts (`5/s`, `30s`), as in a YAML file. */
export type ScenarioInput = z.input<typeof scenarioSchema>;

/**
 * An expected failure, such as a wrong scenario or a target that cannot be used. The message is the text that `weir`
 * would print.
 */
export class WeirError extends Error {
  override readonly name = 'WeirError';
  /** The subject of the failure. A code never changes, so programs can compare codes. */
  readonly code: ProblemKind;

  constructor(message: string, code: ProblemKind, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The options of a run. All options may be left out. */
export interface RunOptions {
  /**
   * Stops the run as Ctrl-C does: no new requests are sent, requests in flight have two seconds, and the report is
   * partial.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once a second during the load. If this function throws an error, the run stops, and `run` rejects with the
   * error.
   */
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined;
  /** The folder for `result.json` and `report.html`. Without this option, no file is written. */
  readonly out?: string | undefined;
  /** Replaces the scenario's target: a base address (`https://host/v1`), `mock` or `container`. */
  readonly target?: string | undefined;
  /** Overrides of the scenario's fields, as `path=value`. */
  readonly set?: readonly string[] | undefined;
  /** Whether a scenario file may name files outside its folder. */
  readonly allowFiles?: boolean | undefined;
  /** Whether to run the scenario even if it exceeds its own budget or pace. */
  readonly force?: boolean | undefined;
  /** The variables for keys and `${env:NAME}`; those of the process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Turns every expected failure into a `WeirError`. Any other error is a defect of Weir. */
export const withWeirErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem
      ? new WeirError(error.message, error.kind, { cause: error })
      : error;
  }
};
