import type { SentTokens } from '../../verbs/calibrate/judge/measured-errors.ts';
import { percentile } from '../harness/statistics.ts';

/** What a client notes of a stream; all instants are on the machine's monotonic clock, in ms. */
export interface BurstStream {
  readonly requestId: string;
  readonly due: number;
  /** Before the first byte of the request was written. */
  readonly sent: number;
  /** When each token was read. */
  readonly read: readonly number[];
}

/** In ms. */
export interface BurstFigures {
  /** Of due to sent. */
  readonly startP50: number;
  readonly startP99: number;
  /** Of the difference, without its sign, between a gap as read and as sent. */
  readonly gapErrorP99: number;
}

/**
 * How late a burst of streams was sent and how exactly their gaps were read. Gaps that the server began before `from` ms
 * after due are left out. Throws if a token is missing on either side: what was not read has no error.
 */
export const burstFiguresOf = (
  streams: readonly BurstStream[],
  served: readonly SentTokens[],
  from: number,
): BurstFigures => {
  const sentById = new Map(served.map(({ requestId, sent }) => [requestId, sent]));
  const gapErrors = streams.flatMap(({ requestId, due, read }) => {
    const sent = sentById.get(requestId) ?? [];
    if (sent.length === 0 || sent.length !== read.length)
      throw new Error(`${requestId}: ${sent.length} tokens were sent, ${read.length} were read`);
    const late = sent.map((at, token) => read[token]! - at);
    return late
      .slice(1)
      .map((lateness, token) => Math.abs(lateness - late[token]!))
      .filter((_, token) => sent[token]! - due >= from);
  });
  const starts = streams.map(({ due, sent }) => sent - due);
  return {
    startP50: percentile(starts, 0.5),
    startP99: percentile(starts, 0.99),
    gapErrorP99: percentile(gapErrors, 0.99),
  };
};
