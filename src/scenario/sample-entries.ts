import { planSchema } from '../model/plan.ts';
import type { Traffic } from '../model/traffic.ts';
import { describeProblems } from './problem.ts';
import type { Reading } from './read.ts';

/** Test support: entries of traffic, each read by `read` within a scenario named f.yaml. */
export const entriesReadBy = (read: (entry: string) => Reading) => ({
  /** What an entry without a fault becomes in the plan. */
  entryOf(this: void, entry: string): Traffic | undefined {
    const reading = read(entry);
    if (!reading.ok) throw new Error(describeProblems(reading.problems, 'f.yaml'));
    return planSchema.parse(reading.plan).stages[0]?.traffic[0];
  },

  /** What is said of an entry with faults; empty where there is none. */
  problemsOf(this: void, entry: string): string {
    const reading = read(entry);
    return reading.ok ? '' : describeProblems(reading.problems, 'f.yaml');
  },
});
