import {
  axisTo,
  plotFigure,
  type Axis,
  logarithmicAxis,
  roundAbove,
  roundBelow,
  timeAxis,
} from '../../document/plot.ts';
import { figureText, plural, countText, listed, secondsText } from '../../text/number-text.ts';
import type { Markup } from '../../text/markup.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { RequestSample } from '../../../model/result/request-sample.ts';
import type { TrafficKind } from '../../../model/workload/traffic.ts';

export interface LoadPoint {
  /** The requests sent per second, over all traffic. */
  readonly rate: number;
  readonly p50: number;
  /** The p95; `null` if there are too few samples. */
  readonly p95: number | null;
}

/** A plot needs loads that differ by at least this factor. */
const minLoadVariation = 1.5;

/** Plots latency against load; returns `null` if the load hardly varies, or if there are fewer than five points. */
export const loadPlot = (
  title: string,
  unit: string,
  points: readonly LoadPoint[],
): Markup | null => {
  const rates = points.map(({ rate }) => rate).filter((rate) => rate > 0);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  if (rates.length < 5 || most < minLoadVariation * least) return null;
  const highest = Math.max(...points.map(({ p50, p95 }) => p95 ?? p50), Number.MIN_VALUE);
  const aside = `${plural(points.length, 'piece')} of the run, at ${figureText(least)} to ${figureText(most)} requests sent per second.`;
  return plotFigure(
    {
      title,
      unit,
      aside,
      keys: ['p50', 'p95'],
      size: [440, 280],
      x: { ...axisTo(most), label: 'sent per second' },
      y: axisTo(highest),
    },
    ({ dot }) =>
      points.flatMap(({ rate, p50, p95 }) => [
        p95 === null ? null : dot('p95', [rate, p95]),
        dot('p50', [rate, p50]),
      ]),
  );
};

const size = [440, 280] as const;
/** The minimum number of dots. Fewer requests are easier to read one by one. */
const minDots = 20;
/** The minimum ratio of the largest to the smallest token count. Smaller differences cannot show a dependence. */
const minTokenVariation = 1.5;
/** If the largest value is more than this many times the smallest, the scale is logarithmic. */
const widestLinear = 20;

const axisOver = (values: readonly number[]): Axis => {
  const most = values.reduce((a, b) => Math.max(a, b));
  const least = values.reduce((a, b) => Math.min(a, b), most);
  const from = Math.max(least, most / 1e6);
  if (most <= widestLinear * from) return axisTo(most);
  return logarithmicAxis(roundBelow(from), roundAbove(most));
};

const drawnOf = ({ outcome, count, rows }: RequestSample): string => {
  const [drawn, all] = [countText(rows.length), countText(count)];
  const name = outcome === 'dropped' ? 'dropped (at the lower edge)' : outcome;
  if (drawn !== all) return `${drawn} of ${all} ${name}`;
  return count === 1 ? `1 ${name}` : `all ${all} ${name}`;
};

const timesIn = (sample: readonly RequestSample[]): readonly number[] =>
  sample.flatMap(({ rows }) => rows.flatMap(([, , , took]) => took ?? []));

/** A part of a run's requests, for example the requests of a population. */
interface ScatterPart {
  readonly name: string;
  readonly sample: readonly RequestSample[];
}

/**
 * Plots the duration of each request of one kind against the time when the request was due. Requests that were never
 * sent are at the lower edge. The run ends after `end` seconds. Returns `null` if no request was sent. The plot of a
 * part has the vertical scale of all requests.
 */
export const requestScatter = (
  traffic: TrafficKind,
  sample: readonly RequestSample[],
  end: number,
  part: ScatterPart = { name: traffic, sample },
): Markup | null => {
  const ofKind = outcomeKinds.flatMap((outcome) =>
    part.sample.filter((each) => each.traffic === traffic && each.outcome === outcome),
  );
  if (timesIn(ofKind).length === 0) return null;
  const y = axisOver(timesIn(sample.filter((each) => each.traffic === traffic)));
  const byLot = ofKind.every(({ count, rows }) => rows.length === count) ? '' : ', chosen by lot';
  return plotFigure(
    {
      title: `Requests, ${part.name}`,
      unit: 'ms from due to their end',
      keys: ofKind.map(({ outcome }) => outcome),
      aside: `Drawn: ${listed(ofKind.map(drawnOf))}${byLot}.`,
      size,
      x: timeAxis(end, secondsText),
      y,
    },
    ({ dots }) =>
      ofKind.map(({ outcome, rows }) =>
        dots(
          outcome,
          rows.map(([, , due, took]) => [due / 1000, took ?? y.ends[0]] as const),
        ),
      ),
  );
};

/**
 * Plots the TTFT of streamed chats against the chats' input tokens. Returns `null` if there are too few chats, or if
 * the numbers of input tokens hardly differ.
 */
export const tokenScatter = (sample: readonly RequestSample[]): Markup | null => {
  const ofStreams = sample.find(
    ({ traffic, outcome }) => traffic === 'chat-stream' && outcome === 'completed',
  );
  if (ofStreams === undefined) return null;
  const points = ofStreams.rows.flatMap(([, , , , ttft, inputTokens]) =>
    ttft === null || inputTokens === null || inputTokens === 0
      ? []
      : [[inputTokens, ttft] as const],
  );
  const tokens = points.map(([inputTokens]) => inputTokens);
  if (points.length < minDots || Math.max(...tokens) < minTokenVariation * Math.min(...tokens))
    return null;
  const withTokens = points.length === ofStreams.rows.length ? '' : ' that have both';
  return plotFigure(
    {
      title: 'TTFT against input tokens',
      unit: 'ms',
      aside: `Drawn: ${plural(points.length, 'streamed chat')}${withTokens} of ${countText(ofStreams.count)} completed.`,
      size,
      x: { ...axisOver(tokens), label: 'input tokens' },
      y: axisOver(points.map(([, ttft]) => ttft)),
    },
    ({ dots }) => [dots('chat-stream', points)],
  );
};
