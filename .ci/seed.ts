import { createHash } from 'node:crypto';
import fc from 'fast-check';

/**
 * `.ci/run` draws the cases of its properties by the date, as it draws the long tests: the run that
 * gates a landing repeats what was seen before it. Everything else draws new ones each time. Without WEIR_TESTS, as in
 * `npm test`, thirty of a property are drawn instead of a hundred.
 */

const { WEIR_TESTS: choice, WEIR_SAMPLE: date } = process.env;
if (choice === 'sample' && date !== undefined)
  fc.configureGlobal({ seed: createHash('sha256').update(date).digest().readInt32BE(0) });
// Shrinking a failed case blocks the thread, so the time limit of a test cannot end it. Long tests may take longer.
if (choice === undefined)
  // oxlint-disable typescript/no-deprecated -- their successors cannot be given to all properties at once
  fc.configureGlobal({
    interruptAfterTimeLimit: 45_000,
    markInterruptAsFailure: true,
    numRuns: 30,
  });
