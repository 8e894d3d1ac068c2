import { expect, it } from 'vitest';
import { blankChatColumns } from '../../../model/observation/sample-ledger-entry.fixture.ts';
import { toLedgerRow } from '../../../model/observation/ledger.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { instant } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import type { SeenArrival, SeenRun } from '../model/seen-arrival.ts';
import { judgeFairness } from './judge-fairness.ts';
import { refusalsOf } from './refusals.ts';
import { arrival, blocks, isLoud } from './sample-arrivals.fixture.ts';

/** Twenty requests of b in each of 60 s, which take so long, and five of a with noise. */
const runWith = (timeOf: (due: number) => number, q: number): SeenRun => ({
  blocks,
  arrivals: [
    ...Array.from({ length: 1200 }, (_, index) => 50 * index).map((due) =>
      arrival(due, { least: timeOf(due), most: timeOf(due) }),
    ),
    ...Array.from({ length: 300 }, (_, index) => 200 * index)
      .filter(isLoud)
      .map((due) => arrival(due, { population: 'a', key: 'a' })),
  ],
  quiet: 'b',
  noisy: 'a',
  q,
  until: 60_000,
});
const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
const reasonsOf = (run: SeenRun, settle: number) => {
  const result = { ledger: [], plan: samplePlan({ limits: none }) };
  const terms = { maxMoved: 0.1, settle, hasUsers: () => false, invalid: null };
  const { verdict, reasons } = judgeFairness(run, result, terms);
  return [verdict, ...reasons];
};

it('a population that is slower for longer than what does not count was not back when it was measured', () => {
  // It is slower by 2 % with the noise, and for the first 3 s without it.
  const slow = runWith(
    (due) => (isLoud(due) || (due >= 10_000 && due % 10_000 < 3000) ? 51 : 50),
    0.9,
  );
  expect(reasonsOf(slow, 2000)).toEqual([
    'unknown',
    'the quiet population was not back when the measuring without noise began: give a longer --settle',
  ]);
  expect(reasonsOf(slow, 3000)).toEqual(['isolated']);
  const never = runWith((due) => (isLoud(due) || due >= 10_000 ? 51 : 50), 0.9);
  expect(reasonsOf(never, 2000)).toEqual(['isolated']);
});

it('a move that is as large as what is allowed is not decided by more pairs', () => {
  const rises = [1.05, 1.1, 1.21 / 1.05];
  const run = runWith((due) => (isLoud(due) ? 100 * rises[Math.floor(due / 20_000)]! : 100), 0.5);
  expect(reasonsOf(run, 0)).toEqual([
    'unknown',
    'the interval of the move spans the most that is allowed: up to 500 pairs do not decide, since the load generator itself may have added as much, or the move is about as large as that: an idle machine for the load, or another --max-moved',
  ]);
});

it('refusals that a key’s own use may explain are its own', () => {
  const rowOf = (sent: number, status: number) =>
    toLedgerRow({
      ...blankChatColumns,
      sent: instant(sent),
      answered: instant(sent + 50),
      ended: instant(sent + 60),
      status,
      unit: null,
    });
  const ledgerOf = (refused: number): Result['ledger'] => [
    {
      key: 'b',
      left: 0,
      rows: [rowOf(11_000, 200), rowOf(12_000, 200), rowOf(13_000, 200), rowOf(refused, 429)],
    },
  ];
  const limited = (due: number): Partial<SeenArrival> => ({ limited: due === 14_000 ? 1 : 0 });
  const run = runWith(() => 50, 0.5);
  const loud = {
    ...run,
    arrivals: run.arrivals.map((each) =>
      each.population === 'b' ? { ...each, ...limited(each.due) } : each,
    ),
  };
  const plan = samplePlan({ limits: { ...none, requestsPerMinute: 3 } });
  expect(refusalsOf(loud, { ledger: ledgerOf(14_000), plan })).toMatchObject({
    cause: 'own',
    explained: 1,
    noisy: 1,
    alone: 0,
    limits: ['3 requests a minute'],
  });
  const wide = samplePlan({ limits: { ...none, requestsPerMinute: 300 } });
  expect(refusalsOf(loud, { ledger: ledgerOf(14_000), plan: wide })).toMatchObject({
    cause: 'noise',
    explained: 0,
  });
});
