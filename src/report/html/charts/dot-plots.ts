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

/** A piece of the run, which is one dot. */
export interface LoadPoint {
  /** Requests sent per second, all traffic. */
  readonly rate: number;
  readonly p50: number;
  /** `null` if there are too few samples. */
  readonly p95: number | null;
}

/** A load that varies by less than this factor is not plotted. */
const minLoadVariation = 1.5;

/** `null` if the load hardly varies, or there are too few pieces to see anything. */
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
/** Fewer are better read as single ones. */
const minDots = 20;
/** Token counts that differ by less than this factor show no dependence. */
const minTokenVariation = 1.5;
/** Values that spread further are drawn on a logarithmic scale. */
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

/**
 * Plots how long each request of one kind took by when it was due; what was never sent is at the lower edge.
 * The run ends after `end` seconds. `null` without requests.
 */
export const requestScatter = (
  traffic: TrafficKind,
  sample: readonly RequestSample[],
  end: number,
): Markup | null => {
  const ofKind = outcomeKinds.flatMap((outcome) =>
    sample.filter((each) => each.traffic === traffic && each.outcome === outcome),
  );
  const times = ofKind.flatMap(({ rows }) => rows.flatMap(([, , , took]) => took ?? []));
  if (times.length === 0) return null;
  const y = axisOver(times);
  const byLot = ofKind.every(({ count, rows }) => rows.length === count) ? '' : ', chosen by lot';
  return plotFigure(
    {
      title: `Requests, ${traffic}`,
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

/** Plots the TTFT of streamed chats by their input tokens; `null` if they are few or hardly differ in length. */
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
