import {
  backingOff,
  type ClientPolicy,
  pacedAtAdmission,
  paced,
  type PaceScore,
  scorePace,
  type ChatWork,
  chatWorkloads,
} from '../../acceptance/pace/pace-score.fixture.ts';
import type { Bench, BenchRow } from '../harness/bench.ts';

/** How much of the work that a gateway's limits admit a client under a pace does, beside one that only backs off. */

const reservingLimiter = { accounting: 'reserve-reconcile' } as const;

interface PaceCase {
  readonly what: string;
  readonly work: ChatWork;
  readonly client: ClientPolicy;
  /** Whether it is held to the bounds. */
  readonly isBounded: boolean;
}

const cases: readonly PaceCase[] = [
  { what: 'requests bind', work: chatWorkloads.requests, client: paced, isBounded: true },
  { what: 'both bind, answers of 1–2 s', work: chatWorkloads.both, client: paced, isBounded: true },
  {
    what: 'tokens bind, answers of 0.2–0.5 s',
    work: chatWorkloads.tokens,
    client: paced,
    isBounded: true,
  },
  {
    what: 'tokens bind, answers of 1–2 s',
    work: chatWorkloads.longer,
    client: paced,
    isBounded: false,
  },
  {
    what: '… charged: sent',
    work: chatWorkloads.longer,
    client: pacedAtAdmission,
    isBounded: true,
  },
  {
    what: 'tokens bind, answers of 0.3–20 s',
    work: chatWorkloads.longest,
    client: paced,
    isBounded: false,
  },
  {
    what: '… charged: sent',
    work: chatWorkloads.longest,
    client: pacedAtAdmission,
    isBounded: false,
  },
];

const minutes = ({ duration }: PaceScore): string => `${(duration / 60_000).toFixed(1)} minutes`;

const rowsOf = (
  { what, isBounded }: PaceCase,
  score: PaceScore,
  backoffScores: PaceScore,
): readonly BenchRow[] => [
  {
    what: `${what}: of the best possible speed`,
    value: score.shareOfBest * 100,
    unit: '%',
    bound: isBounded ? { kind: 'at least', value: 97 } : null,
  },
  {
    what: `${what}: refused`,
    value: score.refused * 100,
    unit: '%',
    bound: { kind: 'at most', value: 1 },
  },
  {
    what: `${what}: of the best possible speed, backing off alone`,
    value: backoffScores.shareOfBest * 100,
    unit: '%',
    bound: null,
  },
  {
    what: `${what}: refused, backing off alone`,
    value: backoffScores.refused * 100,
    unit: '%',
    bound: null,
  },
];

export const paceBench: Bench = {
  name: 'pace',
  about: 'how much of the admitted work a paced client does, beside one that only backs off',
  run: async (say) => {
    const rows: BenchRow[] = [];
    const backoffScores = new Map<ChatWork, PaceScore>();
    for (const each of cases) {
      const { what, work, client } = each;
      const score = await scorePace(work, client, reservingLimiter);
      const backoffScore =
        backoffScores.get(work) ?? (await scorePace(work, backingOff, reservingLimiter));
      backoffScores.set(work, backoffScore);
      say(
        `${what}: ${work.requests} requests in ${minutes(score)} and ${score.attempts} attempts; backing off alone in ${minutes(backoffScore)} and ${backoffScore.attempts} attempts`,
      );
      rows.push(...rowsOf(each, score, backoffScore));
    }
    return rows;
  },
};
