import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';

/** One run of a plan. Runs, not requests, are the samples of a comparison. */
export interface Repetition {
  readonly file: string;
  readonly result: Result;
  readonly trust: Trust;
}

export interface Side {
  readonly name: string;
  readonly repetitions: readonly [Repetition, ...Repetition[]];
}
