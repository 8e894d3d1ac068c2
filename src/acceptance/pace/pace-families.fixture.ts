import { Pacer } from '../../engine/pacer.ts';
import type { MeterRule } from '../../mock/limits/meter.ts';
import { openMeter } from '../../mock/limits/meters.ts';

/** A paced client with more work than the limit, against one limiter, on a clock that jumps. Times in ms. */

const limit = 60;
const window = 60_000;
const windows = 20;
const span = windows * window;

interface LimiterAnswer {
  readonly admitted: boolean;
  /** The reported Retry-After; `null` if there is none. */
  readonly wait: number | null;
}

type OpenLimiter = (rule: MeterRule) => (now: number) => LimiterAnswer;

const fromMeter =
  (kind: keyof typeof openMeter, reportsWait = true): OpenLimiter =>
  (rule) => {
    const meter = openMeter[kind](rule);
    return (now) => {
      if (meter.fits(now, 1)) {
        meter.count(now, 1);
        return { admitted: true, wait: null };
      }
      meter.onRefused(now);
      const seconds = Math.max(1, Math.ceil((meter.fitsAt(now, 1) - now) / 1000));
      return { admitted: false, wait: reportsWait ? seconds * 1000 : null };
    };
  };

/** HAProxy's `http_req_rate`: this period and the share of the last one that is still within the window; refusals count. */
const haproxyRate: OpenLimiter = ({ limit: most, window: period }) => {
  let begin = Number.NEGATIVE_INFINITY;
  let previous = 0;
  let current = 0;
  return (now) => {
    if (now >= begin + period) {
      previous = now < begin + 2 * period ? current : 0;
      begin = now < begin + 2 * period ? begin + period : now;
      current = 0;
    }
    current += 1;
    const rate = current + Math.floor(previous * (1 - (now - begin) / period));
    return { admitted: rate <= most, wait: null };
  };
};

/** The most that fixed windows of a phase admit: each one that the span touches, in full. */
const touchedWindows = (phase: number): number =>
  limit * (phase % window === 0 ? windows : windows + 1);
const sustained = limit * windows;

/**
 * Each limiter, and the most that it admits to an ideal client that comes from idle: full windows, or the burst and the
 * refill of the span. The weighted counters' is bounded by one full window and the sustained rate.
 */
export const limiterFamilies: Readonly<
  Record<string, { readonly open: OpenLimiter; readonly admissible: (phase: number) => number }>
> = {
  'fixed window, aligned': { open: fromMeter('fixed-aligned'), admissible: touchedWindows },
  'fixed window, from the first request': {
    open: fromMeter('fixed-from-first'),
    admissible: () => sustained,
  },
  'token bucket, full': { open: fromMeter('token-bucket'), admissible: () => sustained + limit },
  'bucket of L/4': { open: fromMeter('burst-bucket'), admissible: () => sustained + limit / 4 },
  'bucket of L/4, no Retry-After': {
    open: fromMeter('burst-bucket', false),
    admissible: () => sustained + limit / 4,
  },
  'sliding counter': { open: fromMeter('sliding-counter'), admissible: () => sustained + limit },
  'sliding log': { open: fromMeter('sliding-log'), admissible: () => sustained },
  'sliding log that counts refusals': {
    open: fromMeter('sliding-log-counting-refusals'),
    admissible: () => sustained,
  },
  'stepped bucket': { open: fromMeter('stepped-bucket'), admissible: () => sustained + limit },
  'leaky queue': { open: fromMeter('leaky-queue'), admissible: () => sustained + limit },
  'HAProxy http_req_rate': { open: haproxyRate, admissible: () => sustained + limit },
};

/** Shares: of the admissible work, and of the requests sent. */
interface FamilyScore {
  readonly ofAdmissible: number;
  readonly refused: number;
}

/** Round trips of 20 to 120 ms; a decision falls halfway. */
const roundTripOf = (index: number): number => 20 + ((index * 7919) % 101);

const scoreFamily = (family: string, phase: number, burst: number | undefined): FamilyScore => {
  const { open, admissible } = limiterFamilies[family]!;
  const decide = open({ limit, window, phase, burst: limit / 4, steps: 4 });
  const pacer = new Pacer(
    { requests: limit, tokens: null, burst, window, margin: window / 60, charged: 'ended' },
    1,
  );
  let events: { readonly at: number; readonly run: () => void }[] = [];
  let sent = 0;
  let admitted = 0;
  const send = (now: number): void => {
    const booking = pacer.book(now, 0, 1);
    const roundTrip = roundTripOf(sent);
    sent += 1;
    booking.onSent(now);
    const decidedAt = now + roundTrip / 2;
    const endedAt = now + roundTrip;
    const atGateway = (): void => {
      const answer = decide(decidedAt);
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
  return { ofAdmissible: admitted / admissible(phase), refused: 1 - admitted / sent };
};

/** The worst of several phases. */
export const worstScore = (family: string, burst: number | undefined): FamilyScore => {
  const scores = [0, 0.2, 0.5, 0.77, 0.99].map((share) =>
    scoreFamily(family, share * window, burst),
  );
  return {
    ofAdmissible: Math.min(...scores.map(({ ofAdmissible }) => ofAdmissible)),
    refused: Math.max(...scores.map(({ refused }) => refused)),
  };
};
