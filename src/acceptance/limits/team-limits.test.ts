// @gate 1 s
import { describe, expect, it } from 'vitest';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

const declared = { requests: 60, window: 60_000 };
const isTeam = true;

/** Examines a limit of a team, of which two keys are used in turn. */
const examined = async (
  algorithm: 'fixed-from-first' | 'sliding-log' | 'token-bucket',
  isSharedLimit: boolean,
) => {
  const limits = { algorithm, requestsPerMinute: 60, window: 60_000 };
  const simulation = { limits, seed: 4, roundTrip: [10, 60], service: [5, 40] } as const;
  const { judgement } = await examineSimulatedGateway(
    { ...simulation, isSharedLimit },
    declared,
    undefined,
    { isTeam },
  );
  return judgement;
};

describe.each(['fixed-from-first', 'sliding-log', 'token-bucket'] as const)(
  'the limit of a team, kept by a %s',
  (algorithm) => {
    it('is kept if its keys share it', async () => {
      const { verdict, identification } = await examined(algorithm, true);
      expect(verdict).toBe('kept');
      expect([identification.best, ...identification.ties].map((fit) => fit?.limiter)).toContain(
        algorithm,
      );
    });

    it('is violated if each key has it', async () => {
      const { verdict, reasons } = await examined(algorithm, false);
      expect([verdict, reasons.join()]).toEqual([
        'violated',
        expect.stringMatching(/over-admission|burst/),
      ]);
    });
  },
);
