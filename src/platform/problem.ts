import type { ProblemKind } from '../model/problem-kind.ts';

/**
 * An expected failure, for example of a file or a target. The message is written for users: what is wrong, where, what
 * was expected, and what to do. The message contains no secrets.
 */
export class Problem extends Error {
  readonly kind: ProblemKind = 'configuration';
}

/** Thrown for a scenario that cannot be read or is wrong. */
export class UnusableScenario extends Problem {
  override readonly kind = 'scenario';
}

/** Thrown for a missing, malformed or refused key. */
export class UnusableKey extends Problem {
  override readonly kind = 'key';
}

/** Thrown for a target that cannot be loaded or started. */
export class UnusableTarget extends Problem {
  override readonly kind = 'target';
}

/**
 * Thrown if the answer to a request before the load suggests that the target cannot be loaded. The user may send the
 * load anyway.
 */
export class DoubtfulTarget extends UnusableTarget {}

/** Thrown for a run that may need more than its budget or its pace allows. */
export class OverBudget extends Problem {
  override readonly kind = 'budget';
}

/** Thrown for a file or folder that cannot be written or that another run uses. */
export class UnwritableOutput extends Problem {
  override readonly kind = 'output';
}

export class MissingPackage extends Problem {
  override readonly kind = 'package';
}
