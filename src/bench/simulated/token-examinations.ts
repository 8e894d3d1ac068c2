import { isViolation } from '../../model/limits/limit-log.ts';
import {
  compliantLimiters,
  examineVirtually,
  faultyLimiters,
  threats,
  type VirtualExamination,
} from '../../verbs/limits/experiment/tokens/virtual-limiters.fixture.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';

/** The examinations of each limiter that keeps its limit, of each fault, and of each gateway outside the tolerances. */
const runs = { compliant: 700, fault: 300, threat: 200, sustained: 60 } as const;

/** Faults that only findings show, which violate no limit. */
const findings: Readonly<Record<string, string>> = {
  'charged 10 s late': 'token-settling',
  'remaining never falls': 'token-remaining',
};
/** Faults that need a sustained load, or that an examination does not show. */
const notShown: readonly string[] = ['charged 3 s late', 'limit x 1.2', 'refuses 20 % early'];

type Limiters = typeof compliantLimiters;

/** Counts the examinations of a limiter that are violated, or that have a finding. */
const countShown = async (
  limiter: Limiters[string],
  count: number,
  id: string | undefined,
  options: VirtualExamination,
): Promise<number> => {
  let shown = 0;
  for (let seed = 1; seed <= count; seed += 1) {
    const { findings: found } = await examineVirtually(limiter, seed * 7919, options);
    const isShown = found.checks.some(
      (check) => isViolation(check) || (check.id === id && check.finding === 'refuted'),
    );
    if (isShown) shown += 1;
  }
  return shown;
};

/** Whether examinations of tokens accuse none of the limiters that keep their limit, and show the faults of others. */
export const measureTokenExaminations: BenchPart = async (say) => {
  const accusedOf = async (limiters: Limiters, count: number): Promise<number> => {
    let accused = 0;
    for (const [name, limiter] of Object.entries(limiters)) {
      const own = await countShown(limiter, count, undefined, {});
      accused += own;
      say(`${name}: ${own} of ${count} accused`);
    }
    return accused;
  };
  const accused = await accusedOf(compliantLimiters, runs.compliant);
  const threatened = await accusedOf(threats, runs.threat);
  const rows = [
    benchRow(
      `accused, of ${runs.compliant} × ${Object.keys(compliantLimiters).length}`,
      '',
      accused,
      atMost(0),
    ),
    benchRow('accused outside the tolerances', '', threatened, atMost(0)),
  ];
  const options = { hasSmallBucket: false };
  for (const [name, limiter] of Object.entries(faultyLimiters)) {
    if (notShown.includes(name)) continue;
    const shown = await countShown(limiter, runs.fault, findings[name], options);
    rows.push(benchRow(`shown: ${name}`, '%', (100 * shown) / runs.fault, atLeast(95)));
  }
  for (const name of ['limit x 1.2', 'refuses 20 % early']) {
    const sustained = { ...options, sustain: 16 };
    const shown = await countShown(faultyLimiters[name]!, runs.sustained, undefined, sustained);
    const title = `shown with 16 windows of load: ${name}`;
    rows.push(benchRow(title, '%', (100 * shown) / runs.sustained, atLeast(90)));
  }
  return rows;
};
