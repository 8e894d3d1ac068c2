import type { ProbeReply } from '../model/limit-log.ts';
import type { Instant } from '../model/quantity.ts';
import { ask, type Way } from './ask.ts';
import type { Questioner } from './examine-key.ts';
import { questions, type Subject } from './questions.ts';

/** What an examination asks with. */
export interface Equipment {
  readonly way: Way;
  readonly sleepUntil: (moment: Instant) => Promise<void>;
  readonly subject: Subject;
  /** The value of each key; the second one may be missing. */
  readonly credentials: { readonly first: string; readonly second: string | null };
  /** First part of every request id. */
  readonly runId: string;
}

/** Asks a target through a transport. */
export const questionerOf = (equipment: Equipment): Questioner => {
  const { way, subject, credentials, runId } = equipment;
  let serial = 0;
  return {
    now: () => way.clock.now(),
    sleepUntil: equipment.sleepUntil,
    ask: async (phase, request, key): Promise<ProbeReply | string | null> => {
      const question = questions[request](subject);
      const credential = credentials[key];
      if (question === null || credential === null) return null;
      serial += 1;
      const requestId = `${runId}-${serial}`;
      return ask(way, { requestId, phase, request, key, credential }, question);
    },
  };
};
