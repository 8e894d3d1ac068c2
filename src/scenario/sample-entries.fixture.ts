import { planSchema } from '../model/plan/plan.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import { problemsText } from './text/scenario-problem.ts';
import type { ScenarioReading } from './read-scenario.ts';

/** Returns readers of traffic entries for tests. `read` reads each within a scenario named f.yaml. */
export const trafficEntryReaders = (read: (entry: string) => ScenarioReading) => ({
  /** Returns the plan's entry for an entry without a fault. */
  entryOf(this: void, entry: string): Traffic | undefined {
    const reading = read(entry);
    if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
    return planSchema.parse(reading.plan).stages[0]?.traffic[0];
  },

  /** Returns the problems of an entry; empty if it has none. */
  problemsOf(this: void, entry: string): string {
    const reading = read(entry);
    return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
  },
});
