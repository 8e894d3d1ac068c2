import type { ProbeReply } from '../../../model/limits/limit-log.ts';

type DatedReply = Pick<ProbeReply, 'sent' | 'answered' | 'date'>;

/**
 * By how many milliseconds the server's wall clock (since 1970) is ahead of the log's instants: each
 * `Date` header, exact to its second, was written between `sent` and `answered`, and all replies
 * together leave a narrow interval. `null` without such headers, or when they contradict each other.
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

/** Between which two instants a window of the server's clock began; later ones begin whole windows later. */
export const serverWindow = (
  replies: readonly DatedReply[],
  window: number,
): { readonly earliest: number; readonly latest: number } | null => {
  const offset = serverOffset(replies);
  if (offset === null) return null;
  const latest = ((-offset.least % window) + window) % window;
  return { earliest: latest - (offset.most - offset.least), latest };
};
