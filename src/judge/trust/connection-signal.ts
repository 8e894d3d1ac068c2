import {
  connectionFailuresOf,
  notableConnectionFailures,
} from '../../model/result/connection-failures.ts';
import type { Result } from '../../model/result/result.ts';
import type { TrustSignal } from '../../model/result/verdict.ts';

/**
 * Reports requests that were lost on kept connections which the server closed. The target never received that part of
 * the planned load, and a client that opens a connection for each request would not have lost it. Other failures of
 * connections belong to the target.
 */
export const connectionSignal = (result: Result): TrustSignal | null => {
  const { due, byCause } = connectionFailuresOf(result);
  const lost = byCause.find(({ cause }) => cause === 'closed-on-reuse')?.count ?? 0;
  if (lost <= due * notableConnectionFailures) return null;
  return {
    signal: 'connections',
    decides: true,
    level: 'degraded',
    observed: `${lost} of ${due} requests were lost on kept connections that the server closed before it answered (closed-on-reuse)`,
    expected: 'at most 1 % of the requests',
    advice:
      'Open a connection for each request (wire: {reuse: false}), set wire: {maxRequestsPerConnection: N} below what the server allows, or let the server announce that it closes connections.',
  };
};
