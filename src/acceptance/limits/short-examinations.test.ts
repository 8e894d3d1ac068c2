// @long 12 s
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { verdictsUnderLoad } from './verdicts-under-load.fixture.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

describe('an examination of some phases', () => {
  it('replays every chat of the counting phase: a sliding counter is among the names', async () => {
    for (const seed of seeds) {
      const { judgement } = await examineSimulatedGateway(
        {
          limits: { algorithm: 'sliding-counter', requestsPerMinute: 12, window: 4000 },
          seed,
          roundTrip: [1, drawFrom(seed).pick([4, 20])],
          service: 6,
        },
        { requests: 12, window: 4000 },
        ['counting', 'provocation'],
      );
      const { best, ties } = judgement.identification;
      expect([best, ...ties].map((fit) => fit?.limiter)).toContain('sliding-counter');
    }
  });

  it('never calls the limit kept where no fact and no model shows it: two workers behind slow connections', async () => {
    let unclear = 0;
    for (const seed of seeds) {
      const { judgement } = await examineSimulatedGateway(
        {
          limits: { workers: 2, requestsPerMinute: 12, window: 1500 },
          seed,
          roundTrip: [10, 400],
          service: 6,
          pause: 200,
        },
        { requests: 12, window: 1500 },
        ['provocation'],
      );
      const { facts, identification, verdict } = judgement;
      if (identification.best !== null || facts.envelope.finding !== 'undecided') continue;
      unclear += 1;
      expect(verdict).toBe('undecided');
    }
    expect(unclear).toBeGreaterThan(0);
  });

  it.each([
    ['burst-bucket', 3, 1.4, 'violated'],
    ['sliding-log-counting-refusals', 3, 1, 'kept'],
    ['token-bucket', 3, 1.4, 'violated'],
    ['fixed-from-first', 3, 1.4, 'violated'],
    ['sliding-log', 3, 1.4, 'violated'],
    ['token-bucket', 3, 1, 'kept'],
    ['token-bucket', 3, 0.5, 'violated'],
    ['burst-bucket', 10, 1.2, 'violated'],
    ['token-bucket', 10, 1.2, 'violated'],
    ['fixed-from-first', 10, 1.2, 'violated'],
    ['sliding-log', 10, 1.2, 'violated'],
    ['burst-bucket', 10, 0.6, 'violated'],
    ['token-bucket', 10, 0.6, 'violated'],
  ] as const)(
    'of a %s in %i windows of load finds %f times the declared rate %s',
    async (algorithm, windows, share, verdict) => {
      expect(await verdictsUnderLoad(algorithm, windows, share)).toEqual([verdict]);
    },
  );

  it('never calls a limit kept whose rate is a fifth lower', async () => {
    expect(await verdictsUnderLoad('token-bucket', 10, 0.8)).not.toContain('kept');
  });
});
