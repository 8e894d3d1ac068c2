import type { LimiterClass, ProbePhase } from './limit-log.ts';

/** A fitted number, and the interval of values that explain the log equally well. */
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
  /** The parameters that the class has: phase (in ms), burst, steps. */
  readonly parameters: Readonly<Record<string, Fitted>>;
  /** The number of decisions that this limiter contradicts. */
  readonly wrong: number;
}

/** The limiter behind a log, as far as the log shows it. */
export interface LimiterIdentification {
  /** `null` if no class explains the log. It can be of another limit or window than declared. */
  readonly best: LimiterFit | null;
  /** Other classes that explain the log about as well, or differ only as a full bucket does from a nearly full one. */
  readonly ties: readonly LimiterFit[];
  readonly runnerUp: LimiterFit | null;
  readonly decisions: number;
  /** All classes with the declared limit, best first. */
  readonly ranking: readonly LimiterFit[];
  /** If none is named: limiters of another limit or window that contradict far fewer decisions. */
  readonly likelier: readonly LimiterFit[];
}

export type LimiterAction = 'admitted' | 'delayed' | 'refused';

/** A decision that one of two limiters predicts and the other contradicts. */
export interface DistinguishingDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  /** In ms since the start of the log. */
  readonly sent: number;
  readonly answered: number;
  /** What happened, and what the two predict. */
  readonly observed: LimiterAction;
  readonly named: LimiterAction;
  readonly rival: LimiterAction;
}

/** Why a limiter is named and not the next best. */
export interface LimiterExplanation {
  /** The best class that the log distinguishes from the named one; `null` if there is none, or none is named. */
  readonly rival: LimiterFit | null;
  readonly distinguishing: readonly DistinguishingDecision[];
}
