import type { ProbeReply } from '../model/limits/limit-log.ts';
import type { Instant } from '../model/quantity.ts';
import { sendProbeRequest, type ProbeSession } from './send-probe-request.ts';
import type { ProbeClient } from './examine-key.ts';
import { probeRequestBuilders, type ProbeModels } from './probe-requests.ts';

export interface ProbeClientOptions {
  readonly session: ProbeSession;
  readonly sleepUntil: (moment: Instant) => Promise<void>;
  readonly models: ProbeModels;
  /** The value of each key. */
  readonly credentials: { readonly first: string; readonly second: string | null };
  /** The prefix of every request id. */
  readonly runId: string;
}

export const openProbeClient = (options: ProbeClientOptions): ProbeClient => {
  const { session, models, credentials, runId } = options;
  let serial = 0;
  return {
    now: () => session.clock.now(),
    sleepUntil: options.sleepUntil,
    ask: async (phase, request, key): Promise<ProbeReply | string | null> => {
      const prepared = probeRequestBuilders[request](models);
      const credential = credentials[key];
      if (prepared === null || credential === null) return null;
      serial += 1;
      const requestId = `${runId}-${serial}`;
      return sendProbeRequest(session, { requestId, phase, request, key, credential }, prepared);
    },
  };
};
