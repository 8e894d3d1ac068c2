import { Pacer } from '../../engine/pacer.ts';

/** A paced client with more work than the limit, against one limiter, on a clock that jumps. Times in ms. */

/** What a gateway admits, and how long its answers take: from `fastest` to `slowest`. */
export interface PaceTerms {
  readonly limit: number;
  readonly window: number;
  readonly fastest: number;
  readonly slowest: number;
}

/** The limit that the gateway's contract names, over a usual network. */
export const usualTerms: PaceTerms = { limit: 60, window: 60_000, fastest: 20, slowest: 120 };

export const pacedWindows = 20;

/** Where in a window of the limiter a run can begin, as shares of it. */
export const windowPhases: readonly number[] = [0, 0.2, 0.5, 0.77, 0.99];

export interface LimiterAnswer {
  readonly admitted: boolean;
  /** How long an admitted request is held back before it is served; 0 if missing. */
  readonly delay?: number;
  /** The reported Retry-After; `null` if there is none. */
  readonly wait: number | null;
}

/** A fixed sequence of round trips; a decision falls halfway. */
const roundTripOf = ({ fastest, slowest }: PaceTerms, index: number): number =>
  fastest + ((index * 7919) % 101) * ((slowest - fastest) / 100);

/** How many requests are sent, and how many of these admitted, within `pacedWindows`; without a `burst` it is learned. */
export const runPaced = (
  decide: (now: number) => LimiterAnswer,
  burst: number | undefined,
  terms: PaceTerms,
): { readonly sent: number; readonly admitted: number } => {
  const { limit, window } = terms;
  const span = pacedWindows * window;
  const pacer = new Pacer(
    { requests: limit, tokens: null, burst, window, margin: window / 60, charged: 'ended' },
    1,
  );
  let events: { readonly at: number; readonly run: () => void }[] = [];
  let sent = 0;
  let admitted = 0;
  const send = (now: number): void => {
    const booking = pacer.book(now, 0, 1);
    const roundTrip = roundTripOf(terms, sent);
    sent += 1;
    booking.onSent(now);
    const decidedAt = now + roundTrip / 2;
    const atGateway = (): void => {
      const answer = decide(decidedAt);
      const endedAt = now + roundTrip + (answer.delay ?? 0);
      if (answer.admitted) admitted += 1;
      const atClient = (): void => {
        booking.onFinished(endedAt, 1);
        if (answer.admitted) pacer.onAdmitted(0, now);
        else pacer.onRefused(0, now, endedAt, answer.wait);
      };
      events.push({ at: endedAt, run: atClient });
    };
    events.push({ at: decidedAt, run: atGateway });
  };
  for (let now = 0; now < span;) {
    const release = Math.max(now, pacer.earliestRelease(now, 1, 0).at);
    const next = Math.min(release, ...events.map(({ at }) => at));
    now = next;
    const due = events.filter(({ at }) => at <= next);
    events = events.filter(({ at }) => at > next);
    // What has ended is known before the next request is released.
    for (const { run } of due) run();
    if (due.length === 0 && now < span) send(now);
  }
  return { sent, admitted };
};
