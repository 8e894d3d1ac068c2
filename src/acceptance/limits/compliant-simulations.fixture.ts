import { drawFrom } from '../../model/workload/draw.ts';
import type { MockLimiterClass } from '../../model/gateway/mock-limits.ts';
import type { GatewaySimulation } from '../harness/simulated-gateway.fixture.ts';

const limits = [20, 60, 60, 100];
const windows = [10_000, 60_000, 60_000];

/** A gateway without faults; the seed draws its limit, window, network delays and pauses. */
export const compliantSimulation = (
  algorithm: MockLimiterClass,
  seed: number,
): {
  readonly simulation: GatewaySimulation;
  readonly declared: { requests: number; window: number };
} => {
  const draw = drawFrom(seed, 11);
  const requests = draw.pick(limits, () => 1);
  const window = draw.pick(windows, () => 1);
  const minRoundTrip = 5 + draw.uniform() * 60;
  const isCap = algorithm === 'in-flight';
  return {
    simulation: {
      limits: {
        algorithm,
        requestsPerMinute: requests,
        window,
        steps: draw.pick([2, 4, 6, 10], () => 1),
        burstShare: 0.1 + draw.uniform() * 0.4,
        ...(isCap ? { inFlight: 3 + Math.floor(draw.uniform() * 8) } : {}),
      },
      seed,
      roundTrip: [minRoundTrip, minRoundTrip + draw.uniform() * 200],
      service: isCap ? 400 : 5 + draw.uniform() * 40,
      pause: draw.pick([0, 0, 300], () => 1),
    },
    declared: { requests, window },
  };
};
