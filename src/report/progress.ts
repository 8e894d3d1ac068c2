import type { Histogram } from '../model/histogram.ts';
import { quantile } from '../model/quantile.ts';
import type { Milliseconds } from '../model/quantity.ts';
import type { OutcomeCounts } from '../model/result.ts';
import { arrivalsIn } from '../model/summary.ts';

/** How a run stands at one moment. */
export interface RunProgress {
  readonly name: string;
  /** Milliseconds since the run began, and for how many its load is scheduled. */
  readonly elapsed: number;
  readonly scheduled: Milliseconds;
  /** Arrivals so far, and exchanges under way. */
  readonly due: number;
  readonly inFlight: number;
  readonly outcomes: OutcomeCounts;
  readonly ttft: Histogram;
}

const clockTime = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0
    ? `${seconds} s`
    : `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
};

const ttftWords = (ttft: Histogram): string => {
  const [p50, p95] = [quantile(ttft, 0.5), quantile(ttft, 0.95)];
  if (p50 === null || p95 === null) return 'TTFT not seen yet';
  return `TTFT p50 ${p50.value.toFixed(0)} ms, p95 ${p95.value.toFixed(0)} ms`;
};

const counts = ({ due, inFlight, outcomes }: RunProgress): string => {
  const failed = outcomes.refused + outcomes.malformed + outcomes.broken;
  return [
    `${due} due`,
    `${outcomes.completed} completed`,
    `${outcomes.limited} limited (429)`,
    `${failed} failed`,
    ...(outcomes.dropped === 0 ? [] : [`${outcomes.dropped} dropped`]),
    `${inFlight} in flight`,
  ].join(' · ');
};

const rate = ({ outcomes, elapsed }: RunProgress): string =>
  `${(arrivalsIn(outcomes) / Math.max(1, elapsed / 1000)).toFixed(1)}/s ended`;

const timeWords = ({ elapsed, scheduled }: RunProgress): string =>
  elapsed < scheduled
    ? `${clockTime(elapsed)} of ${clockTime(scheduled)}`
    : `${clockTime(elapsed)}, load ended, waiting for the last answers`;

const barOf = (share: number, width: number): string => {
  const full = Math.round(Math.min(1, share) * width);
  return `${'━'.repeat(full)}${'─'.repeat(width - full)}`;
};

/** Three lines that a terminal draws over: time, counts, the headline figure so far. */
export const progressBlock = (progress: RunProgress, width: number): string =>
  [
    `${progress.name}  ${barOf(progress.elapsed / Math.max(1, progress.scheduled), 24)}  ${timeWords(progress)}`,
    counts(progress),
    `${ttftWords(progress.ttft)} · ${rate(progress)}`,
  ]
    .map((line) => line.slice(0, Math.max(20, width - 1)))
    .join('\n');

/** The same as one plain line, for logs. */
export const progressLine = (progress: RunProgress): string =>
  `${timeWords(progress)}: ${counts(progress)} · ${ttftWords(progress.ttft)}`;
