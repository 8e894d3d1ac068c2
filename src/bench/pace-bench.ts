import {
  backingOff,
  type Client,
  informed,
  paced,
  type Score,
  scorePace,
  type Work,
  works,
} from '../acceptance/score-pace.ts';
import type { Bench, Row } from './bench.ts';

/** How much of the work that a gateway's limits admit a client under a pace does, beside one that only backs off. */

const reserving = { accounting: 'reserve-reconcile' } as const;

interface Case {
  readonly what: string;
  readonly work: Work;
  readonly client: Client;
  /** Whether it is held to the bounds. */
  readonly isHeld: boolean;
}

const cases: readonly Case[] = [
  { what: 'requests bind', work: works.requests, client: paced, isHeld: true },
  { what: 'both bind, answers of 1–2 s', work: works.both, client: paced, isHeld: true },
  { what: 'tokens bind, answers of 0.2–0.5 s', work: works.tokens, client: paced, isHeld: true },
  { what: 'tokens bind, answers of 1–2 s', work: works.longer, client: paced, isHeld: false },
  { what: '… charged: sent', work: works.longer, client: informed, isHeld: true },
  { what: 'tokens bind, answers of 0.3–20 s', work: works.longest, client: paced, isHeld: false },
  { what: '… charged: sent', work: works.longest, client: informed, isHeld: false },
];

const minutes = ({ took }: Score): string => `${(took / 60_000).toFixed(1)} minutes`;

const rowsOf = ({ what, isHeld }: Case, score: Score, alone: Score): readonly Row[] => [
  {
    what: `${what}: of the best possible speed`,
    value: score.ofBest * 100,
    unit: '%',
    bound: isHeld ? { kind: 'at least', value: 97 } : null,
  },
  {
    what: `${what}: refused`,
    value: score.refused * 100,
    unit: '%',
    bound: { kind: 'at most', value: 1 },
  },
  {
    what: `${what}: of the best possible speed, backing off alone`,
    value: alone.ofBest * 100,
    unit: '%',
    bound: null,
  },
  {
    what: `${what}: refused, backing off alone`,
    value: alone.refused * 100,
    unit: '%',
    bound: null,
  },
];

export const paceBench: Bench = {
  name: 'pace',
  about: 'how much of the admitted work a paced client does, beside one that only backs off',
  run: async (say) => {
    const rows: Row[] = [];
    const alone = new Map<Work, Score>();
    for (const each of cases) {
      const { what, work, client } = each;
      const score = await scorePace(work, client, reserving);
      const backed = alone.get(work) ?? (await scorePace(work, backingOff, reserving));
      alone.set(work, backed);
      say(
        `${what}: ${work.requests} requests in ${minutes(score)} and ${score.attempts} attempts; backing off alone in ${minutes(backed)} and ${backed.attempts} attempts`,
      );
      rows.push(...rowsOf(each, score, backed));
    }
    return rows;
  },
};
