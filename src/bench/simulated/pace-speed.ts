import {
  backingOff,
  type ChatWork,
  chatWorkloads,
  type ClientPolicy,
  paced,
  pacedAtAdmission,
  type PaceScore,
  scorePace,
} from '../../acceptance/pace/pace-score.fixture.ts';
import { atLeast, atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';

const reservingLimiter = { accounting: 'reserve-reconcile' } as const;
const { requests, both, tokens, longer, longest } = chatWorkloads;

/** Name, work, client, and whether the speed has a bound. */
const cases: readonly (readonly [string, ChatWork, ClientPolicy, boolean])[] = [
  ['requests bind', requests, paced, true],
  ['both bind, answers of 1–2 s', both, paced, true],
  ['tokens bind, answers of 0.2–0.5 s', tokens, paced, true],
  ['tokens bind, answers of 1–2 s', longer, paced, false],
  ['… charged: sent', longer, pacedAtAdmission, true],
  ['tokens bind, answers of 0.3–20 s', longest, paced, false],
  ['… charged: sent', longest, pacedAtAdmission, false],
];

const describe = ({ duration, attempts }: PaceScore): string =>
  `in ${(duration / 60_000).toFixed(1)} minutes and ${attempts} attempts`;

/** How much of the work that a gateway's limits admit a paced client does, beside one that only backs off. */
export const measurePace: BenchPart = async (say) => {
  const rows: BenchRow[] = [];
  const backoffScores = new Map<ChatWork, PaceScore>();
  for (const [name, work, client, isBounded] of cases) {
    const score = await scorePace(work, client, reservingLimiter);
    const backoff =
      backoffScores.get(work) ?? (await scorePace(work, backingOff, reservingLimiter));
    backoffScores.set(work, backoff);
    say(
      `${name}: ${work.requests} requests ${describe(score)}; backing off alone ${describe(backoff)}`,
    );
    const row = (what: string, share: number, bound: BenchRow['bound'] = null): BenchRow =>
      benchRow(`${name}: ${what}`, '%', share * 100, bound);
    rows.push(
      row('of the best possible speed', score.shareOfBest, isBounded ? atLeast(97) : null),
      row('refused', score.refused, atMost(1)),
      row('of the best possible speed, backing off alone', backoff.shareOfBest),
      row('refused, backing off alone', backoff.refused),
    );
  }
  return rows;
};
