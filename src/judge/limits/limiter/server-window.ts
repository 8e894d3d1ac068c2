import type { ProbeReply } from '../../../model/limits/limit-log.ts';

type DatedReply = Pick<ProbeReply, 'sent' | 'answered' | 'date'>;

/** The server's wall clock (ms since 1970) minus the log's instants. */
export interface OffsetBounds {
  readonly least: number;
  readonly most: number;
}

/** What a `Date` header can lag behind the clock, in ms: it names whole seconds, and some servers write it once a second. */
const wholeSecond = 1000;
const refreshedEachSecond = 2000;

/** The share of headers that must agree; a few can be stale or come from another machine. */
const minAgreement = 0.9;

/** The interval that most of the headers share, and how many do. */
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
    // No start comes before this end, since the next one would agree with more.
    if (best === null || count > best.count)
      best = { interval: { least, most: ends[ended]! }, count };
  }
  return best;
};

/**
 * The server's clock by `Date` headers: each was written
 * between `sent` and `answered`, up to a second or, on servers that refresh it once a second, two
 * seconds after the moment that it names. `null` without such headers, or if too many contradict each
 * other.
 */
export const serverOffset = (replies: readonly DatedReply[]): OffsetBounds | null => {
  const dated = replies.flatMap(({ sent, answered, date }) =>
    date === null ? [] : [{ sent, answered, date }],
  );
  for (const lag of [wholeSecond, refreshedEachSecond]) {
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

/** The earliest and latest start of a window of the server's clock; others are whole windows apart. */
export const windowOfClock = (
  { least, most }: OffsetBounds,
  window: number,
): { readonly earliest: number; readonly latest: number } => {
  const latest = ((-least % window) + window) % window;
  return { earliest: latest - (most - least), latest };
};
