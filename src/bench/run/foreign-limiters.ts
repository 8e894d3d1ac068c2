import {
  type ExaminedLimiters,
  examineLimiters,
  limiterTable,
} from '../../proving/limiters/examine-limiters.ts';
import {
  casesOfSixtySeconds,
  compliantCases,
  faultyCases,
} from '../../proving/limiters/limiter-cases.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';

const second = 1000;

const rowsOf = (window: string, { rows, skipped }: ExaminedLimiters) => {
  const compliant = rows.filter(({ fault }) => fault === null);
  const faulty = rows.filter(({ fault }) => fault !== null);
  const share = (part: number, whole: number): number =>
    whole === 0 ? Number.NaN : (part / whole) * 100;
  const figures = [
    benchRow(
      `${window}: exit 14 on ${compliant.length} compliant limiters of others, without proof in their own headers`,
      '',
      compliant.length === 0
        ? Number.NaN
        : compliant.filter(({ verdict }) => verdict === 'WRONG').length,
      atMost(0),
    ),
    benchRow(
      `${window}: limiters named right, or none of ours`,
      '%',
      share(compliant.filter(({ name }) => name !== 'WRONG').length, compliant.length),
      atLeast(98),
    ),
    benchRow(`${window}: limiters that could not be examined`, '', skipped.length),
    benchRow(
      `${window}: examinations whose counts differ from the server's own log`,
      '',
      rows.filter(({ counts }) => counts.differences.length > 0).length,
      atMost(0),
    ),
  ];
  if (faulty.length === 0) return figures;
  const caught = faulty.filter(({ verdict }) => verdict === 'true').length;
  const what = `${window}: of ${faulty.length} planted faults, caught`;
  return [...figures, benchRow(what, '%', share(caught, faulty.length), atLeast(95))];
};

/** Whether examinations of limiters of others are right: all at a window of 10 s, six at the real 60 s. */
export const measureForeignLimiters: BenchPart = async (say) => {
  const short = await examineLimiters({
    cases: [...compliantCases, ...faultyCases],
    terms: { limit: 20, window: 10 * second, args: [] },
    atATime: 6,
    say,
  });
  const real = await examineLimiters({
    cases: casesOfSixtySeconds,
    terms: { limit: 60, window: 60 * second, args: [] },
    atATime: casesOfSixtySeconds.length,
    say,
  });
  say(limiterTable([...short.rows, ...real.rows]));
  return [...rowsOf('10 s', short), ...rowsOf('60 s', real)];
};
