import type { ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';

/** Returns the reply to a small chat of the first key, sent at `sent` ms. `changes` overrides its fields. */
export const sampleReply = (sent: number, changes: Partial<ProbeReply> = {}): ProbeReply => ({
  requestId: `r-${sent}`,
  phase: 'counting',
  request: 'chat',
  key: 'first',
  status: 200,
  told: [],
  sent: instant(sent),
  answered: instant(sent + 30),
  ended: instant(sent + 30),
  admitted: true,
  unreadable: [],
  retryAfter: null,
  refusal: null,
  date: null,
  asked: { characters: 8, maxTokens: 1 },
  usage: { input: 3, output: 1 },
  ...changes,
});
