import type { ProbeReply } from '../../../model/limits/limit-log.ts';

type DatedReply = Pick<ProbeReply, 'sent' | 'answered' | 'date'>;

/**
 * The server's wall clock (ms since 1970) minus the log's instants: each `Date` header, exact to a
 * second, was written between `sent` and `answered`, and all replies together leave a narrow interval.
 * `null` without such headers, or if they contradict each other.
 */
export const serverOffset = (
  replies: readonly DatedReply[],
): { readonly least: number; readonly most: number } | null => {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (const { sent, answered, date } of replies) {
    if (date === null) continue;
    least = Math.max(least, date - answered);
    most = Math.min(most, date + 1000 - sent);
  }
  return Number.isFinite(least) && least <= most ? { least, most } : null;
};

/** The earliest and latest start of a window of the server's clock; others are whole windows apart. */
export const serverWindow = (
  replies: readonly DatedReply[],
  window: number,
): { readonly earliest: number; readonly latest: number } | null => {
  const offset = serverOffset(replies);
  if (offset === null) return null;
  const latest = ((-offset.least % window) + window) % window;
  return { earliest: latest - (offset.most - offset.least), latest };
};
