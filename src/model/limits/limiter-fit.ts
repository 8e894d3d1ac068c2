import type { LimiterClass, ProbePhase } from './limit-log.ts';

/** A fitted number: the best value, and the interval of values that explain the log equally well. */
export interface Fitted {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/** How well the best limiter of a class explains a log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: Fitted;
  /** In ms. */
  readonly window: Fitted;
  /** Only those of the class: phase (in ms), burst, steps. */
  readonly parameters: Readonly<Record<string, Fitted>>;
  /** The number of decisions that this limiter cannot explain at any moment of their intervals. */
  readonly wrong: number;
}

/** The limiter behind a log, as far as the log names it. */
export interface LimiterIdentification {
  /** `null` if no class explains the log. Where none of the declared limit does, it can be of another limit or window. */
  readonly best: LimiterFit | null;
  /** Other classes that the log does not distinguish from the best: they contradict hardly more, or one is a bucket that is full and one is nearly full. */
  readonly ties: readonly LimiterFit[];
  readonly runnerUp: LimiterFit | null;
  readonly decisions: number;
  /** All classes with the declared limit, the best first. */
  readonly ranking: readonly LimiterFit[];
  /** Where none is named, the limiters of another limit or window that contradict far fewer decisions than those of the declared one. */
  readonly likelier: readonly LimiterFit[];
}

/** What a limiter does with a request: admit it at once, admit it after a wait, or refuse it. */
export type LimiterAction = 'admitted' | 'delayed' | 'refused';

/** A decision that the named limiter predicts and its rival contradicts, or the other way round. */
export interface DistinguishingDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  /** In ms since the start of the log; it was decided in between. */
  readonly sent: number;
  readonly answered: number;
  /** What the limiter did, and what the two predict. */
  readonly observed: LimiterAction;
  readonly named: LimiterAction;
  readonly rival: LimiterAction;
}

/** Why a limiter is named and not the next best. */
export interface LimiterExplanation {
  /** The best of the classes that the log distinguishes from the named one; `null` if there is none, or none is named. */
  readonly rival: LimiterFit | null;
  /** In the order of sending. */
  readonly distinguishing: readonly DistinguishingDecision[];
}
