import type { MockLimiterClass } from '../../model/gateway/mock-limits.ts';
import type { LimitVerdict } from '../../verbs/limits/model/limit-report.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/**
 * The different verdicts, over three seeds, on a gateway that admits `share` times its declared 60 requests in 60 s, by
 * bursts and a load of so many windows.
 */
export const verdictsUnderLoad = async (
  algorithm: MockLimiterClass,
  windows: number,
  share: number,
): Promise<readonly LimitVerdict[]> => {
  const verdicts = new Set<LimitVerdict>();
  for (const seed of [0, 1, 2]) {
    const requestsPerMinute = Math.round(60 * share);
    const { judgement } = await examineSimulatedGateway(
      {
        limits: { algorithm, requestsPerMinute, window: 60_000, burstShare: 0.15 },
        seed,
        roundTrip: [10, 60],
        service: [5, 40],
      },
      { requests: 60, window: 60_000 },
      ['provocation', 'sustained'],
      { sustain: windows },
    );
    verdicts.add(judgement.verdict);
  }
  return [...verdicts];
};
