/** The mean time between two events of a self-test stream in ms: that of the tokens of a typical model. */
export const canaryEventInterval = 50;

/** The number of self-test streams of a loop. Few, so that each event comes alone, as a token does. */
export const canaryStreamCount = 5;
