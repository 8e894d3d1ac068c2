import type { MeterRule } from '../../mock/limits/meter.ts';
import { openMeter } from '../../mock/limits/meters.ts';
import {
  type LimiterAnswer,
  type PaceTerms,
  pacedWindows as windows,
  runPaced,
  usualTerms,
  windowPhases,
} from './paced-run.fixture.ts';

/** Limiters of every family of ours, and what an ideal client would get of them. Times in ms. */

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
const touchedWindows = ({ limit, window }: PaceTerms, phase: number): number =>
  limit * (phase % window === 0 ? windows : windows + 1);

const sustained = ({ limit }: PaceTerms): number => limit * windows;

/** A burst of a share of the limit, and what the rate allows. */
const withBurst =
  (share: number) =>
  (terms: PaceTerms): number =>
    sustained(terms) + share * terms.limit;

/**
 * The limit before the first boundary, and one less in each window after it, since some of the one before still counts; of the
 * last one what the share of that leaves.
 */
const weightedWindows = ({ limit, window }: PaceTerms, phase: number): number =>
  limit * (windows + (phase % window === 0 ? 0 : 1 - phase / window)) - (windows - 1);

interface LimiterFamily {
  readonly open: OpenLimiter;
  readonly admissible: (terms: PaceTerms, phase: number) => number;
}

/**
 * Each limiter, and the most that it admits to an ideal client that comes from idle: full windows, or the burst and the
 * refill of the span.
 */
export const limiterFamilies: Readonly<Record<string, LimiterFamily>> = {
  'fixed window, aligned': { open: fromMeter('fixed-aligned'), admissible: touchedWindows },
  'fixed window, from the first request': {
    open: fromMeter('fixed-from-first'),
    admissible: sustained,
  },
  'token bucket, full': { open: fromMeter('token-bucket'), admissible: withBurst(1) },
  'bucket of L/4': { open: fromMeter('burst-bucket'), admissible: withBurst(1 / 4) },
  'bucket of L/4, no Retry-After': {
    open: fromMeter('burst-bucket', false),
    admissible: withBurst(1 / 4),
  },
  'sliding counter': { open: fromMeter('sliding-counter'), admissible: weightedWindows },
  'sliding log': { open: fromMeter('sliding-log'), admissible: sustained },
  'sliding log that counts refusals': {
    open: fromMeter('sliding-log-counting-refusals'),
    admissible: sustained,
  },
  'stepped bucket': { open: fromMeter('stepped-bucket'), admissible: withBurst(1) },
  'leaky queue': { open: fromMeter('leaky-queue'), admissible: withBurst(1) },
  'HAProxy http_req_rate': { open: haproxyRate, admissible: withBurst(1) },
};

/** Shares: of the admissible work, and of the requests sent. */
interface FamilyScore {
  readonly ofAdmissible: number;
  readonly refused: number;
}

const scoreFamily = (
  family: string,
  phase: number,
  burst: number | undefined,
  terms: PaceTerms,
): FamilyScore => {
  const { limit, window } = terms;
  const { open, admissible } = limiterFamilies[family]!;
  const decide = open({ limit, window, phase, burst: limit / 4, steps: 4 });
  const { sent, admitted } = runPaced(decide, burst, terms);
  return { ofAdmissible: admitted / admissible(terms, phase), refused: 1 - admitted / sent };
};

/** The worst of several phases. */
export const worstScore = (
  family: string,
  burst: number | undefined,
  terms = usualTerms,
): FamilyScore => {
  const scores = windowPhases.map((share) =>
    scoreFamily(family, share * terms.window, burst, terms),
  );
  return {
    ofAdmissible: Math.min(...scores.map(({ ofAdmissible }) => ofAdmissible)),
    refused: Math.max(...scores.map(({ refused }) => refused)),
  };
};
