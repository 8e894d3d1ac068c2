/** Time between two events of a self-test stream in ms: that of the tokens of a typical model. */
export const canaryEventInterval = 50;

/**
 * The streams send in this many groups, each group together: waking two processes costs more than
 * ten events.
 */
export const canaryPhaseCount = 2;
