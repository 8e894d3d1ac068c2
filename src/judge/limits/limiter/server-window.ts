import type { ProbeReply } from '../../../model/limits/limit-log.ts';

type DatedReply = Pick<ProbeReply, 'sent' | 'answered' | 'date'>;

/** How far the server's wall clock (ms since 1970) is ahead of the log's instants, in ms: from `least` to `most`. */
export interface OffsetBounds {
  readonly least: number;
  readonly most: number;
}

/** A `Date` header is up to this many ms behind the server's clock, since it names whole seconds. */
const maxLag = 1000;
/** If a server writes the `Date` header only once a second, the header is up to this many ms behind its clock. */
const maxLagRefreshed = 2000;

/** The minimum share of headers that must agree. A few headers can be stale or come from another machine. */
const minAgreement = 0.9;

const maxAgreement = (
  bounds: readonly OffsetBounds[],
): { readonly interval: OffsetBounds; readonly count: number } | null => {
  const starts = bounds.map(({ least }) => least).sort((a, b) => a - b);
  const ends = bounds.map(({ most }) => most).sort((a, b) => a - b);
  let best: { interval: OffsetBounds; count: number } | null = null;
  let ended = 0;
  for (const [started, least] of starts.entries()) {
    while (ends[ended]! < least) ended += 1;
    const count = started + 1 - ended;
    // The common interval ends where the first of the agreeing intervals ends.
    if (best === null || count > best.count)
      best = { interval: { least, most: ends[ended]! }, count };
  }
  return best;
};

/**
 * Computes the offset of the server's clock from `Date` headers. Returns `null` if there are no headers, or if too many
 * headers contradict each other. Each header was written between `sent` and `answered`. The time in the header is up to
 * one second before the writing, or up to two seconds on servers that refresh the header once a second.
 */
export const serverOffset = (replies: readonly DatedReply[]): OffsetBounds | null => {
  const dated = replies.flatMap(({ sent, answered, date }) =>
    date === null ? [] : [{ sent, answered, date }],
  );
  for (const lag of [maxLag, maxLagRefreshed]) {
    const agreed = maxAgreement(
      dated.map(({ sent, answered, date }) => ({
        least: date - answered,
        most: date + lag - sent,
      })),
    );
    if (agreed !== null && agreed.count >= minAgreement * dated.length) return agreed.interval;
  }
  return null;
};

/** Returns the earliest and the latest start, in the log's time, of a window that follows the server's clock. */
export const windowOfClock = (
  { least, most }: OffsetBounds,
  window: number,
): { readonly earliest: number; readonly latest: number } => {
  const latest = ((-least % window) + window) % window;
  return { earliest: latest - (most - least), latest };
};
