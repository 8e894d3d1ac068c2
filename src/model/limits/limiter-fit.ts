import type { LimiterClass, ProbePhase } from './limit-log.ts';

/** A fitted number. All values from `least` to `most` explain the log as well as `value`. */
export interface Fitted {
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

/** Of all limiters of one class, the limiter that explains a log best, and how well it explains the log. */
export interface LimiterFit {
  readonly limiter: LimiterClass;
  readonly limit: Fitted;
  /** The length of the limiter's window, in ms. */
  readonly window: Fitted;
  /**
   * The other fitted parameters of the limiter, by name. They depend on the class, for example the phase (in ms), the
   * burst or the number of steps.
   */
  readonly parameters: Readonly<Record<string, Fitted>>;
  /** The number of decisions in the log that contradict this limiter. */
  readonly wrong: number;
}

export interface LimiterIdentification {
  /**
   * The limiter that explains the log best; `null` if no class explains the log. The limit or the window of this
   * limiter may differ from the declared limit.
   */
  readonly best: LimiterFit | null;
  /**
   * The limiters of other classes that explain the log about as well as `best`. Some classes hardly differ in
   * behaviour: a bucket that holds slightly less than the limit behaves almost like a bucket that holds the limit.
   */
  readonly ties: readonly LimiterFit[];
  readonly runnerUp: LimiterFit | null;
  readonly decisions: number;
  /** For each class, the best limiter with the declared limit. The best of all is first. */
  readonly ranking: readonly LimiterFit[];
  /**
   * Limiters whose limit or window differs from the declared limit or window, and which contradict far fewer decisions
   * than the limiters in `ranking`. Empty unless `best` is `null`.
   */
  readonly likelier: readonly LimiterFit[];
}

export type LimiterAction = 'admitted' | 'delayed' | 'refused';

/** A decision for which two limiters predict different actions. */
export interface DistinguishingDecision {
  readonly requestId: string;
  readonly phase: ProbePhase;
  /** When the request was sent, in ms since the start of the log. */
  readonly sent: number;
  readonly answered: number;
  /**
   * The action of the gateway. `named` is the prediction of the identified limiter, and `rival` the prediction of the
   * rival.
   */
  readonly observed: LimiterAction;
  readonly named: LimiterAction;
  readonly rival: LimiterAction;
}

/** The decisions that show why the identified limiter explains the log better than the second-best limiter. */
export interface LimiterExplanation {
  /**
   * The best limiter of another class that the log distinguishes from the identified limiter; `null` if there is no
   * such limiter, or if no limiter is identified.
   */
  readonly rival: LimiterFit | null;
  readonly distinguishing: readonly DistinguishingDecision[];
}
