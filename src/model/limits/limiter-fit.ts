import type { LimiterClass, ProbePhase } from './limit-log.ts';

/** A fitted number, and the interval of values that explain the log equally well. */
export interface Fitted {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/** The best limiter of a class, and how well it explains a log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: Fitted;
  /** The length of the window, in ms. */
  readonly window: Fitted;
  /** The fitted parameters of this class, such as the phase (in ms), the burst and the steps. */
  readonly parameters: Readonly<Record<string, Fitted>>;
  /** The number of decisions that this limiter contradicts. */
  readonly wrong: number;
}

/** The limiter behind a log, as far as the log shows it. */
export interface LimiterIdentification {
  /** The best limiter; `null` if no class explains the log. Its limit or window may differ from the declared one. */
  readonly best: LimiterFit | null;
  /**
   * Other classes that explain the log about as well, or differ only as a full bucket differs from a nearly full one.
   */
  readonly ties: readonly LimiterFit[];
  readonly runnerUp: LimiterFit | null;
  readonly decisions: number;
  /** All classes with the declared limit, best first. */
  readonly ranking: readonly LimiterFit[];
  /** Limiters of another limit or window that contradict far fewer decisions, if no limiter is named. */
  readonly likelier: readonly LimiterFit[];
}

export type LimiterAction = 'admitted' | 'delayed' | 'refused';

/** A decision that one of two limiters predicts and the other contradicts. */
export interface DistinguishingDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  /** When the request was sent, in ms since the start of the log. */
  readonly sent: number;
  readonly answered: number;
  /** The observed action, and the two predictions. */
  readonly observed: LimiterAction;
  readonly named: LimiterAction;
  readonly rival: LimiterAction;
}

/** The decisions that show why one limiter is named and not the next best. */
export interface LimiterExplanation {
  /** The best class that the log distinguishes from the named one; `null` if there is none or no class is named. */
  readonly rival: LimiterFit | null;
  readonly distinguishing: readonly DistinguishingDecision[];
}
