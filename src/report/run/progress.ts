import { percentileName } from '../../model/measures/headline.ts';
import type { OutcomeCounts } from '../../model/measures/counts.ts';
import { type OutcomeKind, outcomeKinds } from '../../model/observation/outcome.ts';
import type { Histogram } from '../../model/measures/histogram.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { countArrivals } from '../../model/measures/outcome-counts.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { percentileText, tableMeasures } from '../summary/figures.ts';
import {
  displayWidth,
  truncatedText,
  paddedText,
  printable,
  wrappedLines,
} from '../text/display-width.ts';
import { countText, figureText, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';

export interface RunningStage {
  readonly name: string;
  /** The stage's number, from 1. */
  readonly number: number;
  readonly of: number;
}

export interface RunProgress {
  readonly name: string;
  /** `elapsed` is the time since the run began, and `scheduled` is the planned length of its load. Both are in ms. */
  readonly elapsed: number;
  readonly scheduled: Milliseconds;
  /**
   * The current stage; `null` if the load has only one stage, if the stages belong to populations, or after the end of
   * the load.
   */
  readonly stage: RunningStage | null;
  /** `due` is the number of arrivals so far, and `inFlight` is the number of exchanges in flight. */
  readonly due: number;
  readonly inFlight: number;
  readonly outcomes: OutcomeCounts;
  /** The samples of `progressMeasure` for each kind of traffic that has samples. */
  readonly latencies: ReadonlyMap<TrafficKind, Histogram>;
}

/** Returns the measure of a kind that the live display shows: the first measure of the kind's headline figures. */
export const progressMeasure = (kind: TrafficKind): MeasureName => tableMeasures[kind][0];

/** Formats a time in whole seconds, since tenths would flicker. */
const clockText = (elapsed: number): string => timeText(Math.floor(elapsed / 1000) * 1000);

const stageText = ({ stage }: RunProgress): string | null =>
  stage === null ? null : `stage ${stage.number} of ${stage.of} (${printable(stage.name)})`;

/** Formats the time of a run. After the end of the load, the text also says how many answers are `missing`. */
export const timeProgressText = (
  { elapsed, scheduled }: Pick<RunProgress, 'elapsed' | 'scheduled'>,
  missing: number,
): string => {
  if (elapsed < scheduled) return `${clockText(elapsed)} of ${timeText(scheduled)}`;
  const last = missing === 1 ? 'answer' : `${countText(missing)} answers`;
  const waiting = missing > 0 && `waiting for the last ${last}`;
  return present([clockText(elapsed), 'load ended', waiting]).join(', ');
};

/**
 * Returns the text in brackets after an outcome: the mean rate of completed requests, or the status 429 of limited
 * requests.
 */
const bracketed = (kind: OutcomeKind, { elapsed, outcomes }: RunProgress): string => {
  if (kind === 'limited') return ' (429)';
  const hasRate = kind === 'completed' && outcomes.completed > 0 && elapsed >= 1000;
  return hasRate ? ` (${figureText((outcomes.completed / elapsed) * 1000)}/s)` : '';
};

/** Returns how many due arrivals have not ended and are not in flight: they wait for the pace or their next attempt. */
const waitingOf = ({ due, inFlight, outcomes }: RunProgress): number =>
  Math.max(0, due - countArrivals(outcomes) - inFlight);

/** Formats the arrivals by outcome. A kind of failure is named only after it has occurred. */
const countsText = (progress: RunProgress): string => {
  const { due, inFlight, outcomes } = progress;
  const waiting = waitingOf(progress);
  const occurred = outcomeKinds.filter((kind) => kind === 'completed' || outcomes[kind] > 0);
  return [
    `${countText(due)} due`,
    `${countText(inFlight)} in flight`,
    ...(waiting > 0 ? [`${countText(waiting)} waiting`] : []),
    ...occurred.map((kind) => `${countText(outcomes[kind])} ${kind}${bracketed(kind, progress)}`),
  ].join(' · ');
};

/** Formats the live measure of each kind with its percentiles so far. The percentiles include the warm-up. */
const latencyTexts = ({ latencies }: RunProgress) =>
  trafficKinds.flatMap((kind) => {
    const histogram = latencies.get(kind);
    if (histogram === undefined || histogram.count === 0) return [];
    const { short, unit } = measures[progressMeasure(kind)];
    const figures = [0.5, 0.95]
      .flatMap((q) => quantile(histogram, q) ?? [])
      .map((found) => `${percentileName(found.q)} ${percentileText(found, unit)} ${unit}`);
    return [[kind, short, figures.join(', ')] as const];
  });

const barWidth = 24;
/** If the screen leaves fewer columns than this for the name beside the bar and the time, the bar is omitted. */
const minNameWidth = 8;

const firstLine = (progress: RunProgress, columns: number): string => {
  const { elapsed, scheduled } = progress;
  const full = Math.floor(Math.min(1, elapsed / Math.max(1, scheduled)) * barWidth);
  const bar = `${'━'.repeat(full)}${'─'.repeat(barWidth - full)}`;
  const time = timeProgressText(progress, progress.inFlight + waitingOf(progress));
  const name = printable(progress.name);
  const room = columns - displayWidth(time) - 2;
  const roomBesideBar = room - barWidth - 2;
  return roomBesideBar < Math.min(minNameWidth, displayWidth(name))
    ? `${truncatedText(name, room)}  ${time}`
    : `${truncatedText(name, roomBesideBar)}  ${bar}  ${time}`;
};

/** Writes the block that a terminal redraws: progress, outcomes, and the latency of each kind of traffic. */
export const progressBlock = (progress: RunProgress, width: number): string => {
  const columns = Math.max(20, width - 1);
  const latencies = latencyTexts(progress);
  const kindColumns = Math.max(...latencies.map(([kind]) => kind.length));
  const measureColumns = Math.max(...latencies.map(([, measure]) => measure.length));
  return present([
    firstLine(progress, columns),
    stageText(progress),
    ...wrappedLines(countsText(progress), columns),
    ...latencies.map(([kind, measure, figures]) =>
      [paddedText(kind, kindColumns), paddedText(measure, measureColumns), figures].join('  '),
    ),
  ])
    .map((line) => truncatedText(line, columns))
    .join('\n');
};

/** A stage of a run, as a log announces it. The stages of populations run side by side. */
export interface AnnouncedStage {
  readonly name: string;
  readonly begins: number;
  readonly population?: string | undefined;
}

/**
 * Returns a line which says that a stage begins. For a stage of a population, the line names the population, and also
 * the stage if the population has several.
 */
export const stageLine = ({ name, begins, population }: AnnouncedStage): string => {
  if (population === undefined) return `${clockText(begins)}: stage ${printable(name)} begins`;
  const stage = name === population ? '' : `, stage ${name.slice(population.length + 1)},`;
  return `${clockText(begins)}: population ${printable(`${population}${stage}`)} begins`;
};

/** Formats the progress as one plain line, for logs. */
export const progressLine = (progress: RunProgress): string => {
  const time = timeProgressText(progress, progress.inFlight + waitingOf(progress));
  const when = present([time, stageText(progress)]).join(', ');
  const latencies = latencyTexts(progress).map((texts) => texts.join(' '));
  return [`${when}: ${countsText(progress)}`, ...latencies].join('; ');
};
