import { hasChatStreams, type Plan } from '../../../model/plan/plan.ts';
import {
  isBelow,
  pointName,
  type SweepAxis,
  type SweepCurve,
  type SweepPoint,
  type SweepReport,
  type SweepVariable,
} from '../model/sweep.ts';
import { fitScalability } from '../../capacity/judge/fit-scalability.ts';
import { judgePoint, type MadePoint } from './judge-point.ts';
import { axisOf } from './swept-figures.ts';

export interface MadeSweep {
  readonly variables: readonly SweepVariable[];
  readonly points: readonly MadePoint[];
  /** The name of the figure of throughput; if `null`, the data of the points decide. `latency` is the other figure. */
  readonly throughput: string | null;
  readonly latency: string | null;
}

/**
 * Returns the points that no other point beats. A point beats another point if it is surely better in one figure, and
 * not surely worse in the other. Differences as small as those between runs of one point do not count.
 */
const frontOf = (
  points: readonly SweepPoint[],
  x: SweepAxis,
  y: SweepAxis,
): ReadonlySet<SweepPoint> => {
  const known = points.flatMap((point) => {
    const [throughput, latency] = [point.figures[x.name], point.figures[y.name]];
    return point.verdict !== 'kept' || throughput === undefined || latency === undefined
      ? []
      : [{ point, throughput, latency }];
  });
  const isBeaten = (one: (typeof known)[number]): boolean =>
    known.some((other) => {
      const isWorse =
        isBelow(x, other.throughput, one.throughput) || isBelow(y, one.latency, other.latency);
      const isBetter =
        isBelow(x, one.throughput, other.throughput) || isBelow(y, other.latency, one.latency);
      return isBetter && !isWorse;
    });
  return new Set(known.filter((each) => !isBeaten(each)).map(({ point }) => point));
};

/**
 * The least share of arrivals that are answered in a steady flow. An open load above the capacity gets fewer answers.
 */
const steadyShare = 0.9;

/**
 * Returns the throughput and the requests in flight of each run that counts, for fitting the law. By Little's law, the
 * throughput is the number of requests in flight divided by their mean time. A count of answers is less exact: if users
 * send at the same times, many requests end together, and a short run may count all of them or none.
 */
const stepsOf = ({ runs }: SweepPoint) =>
  runs.flatMap(({ excludedBecause, figures }) => {
    const { offeredRate = 0, completedRate, inFlight, steadyMean: latency } = figures;
    if (excludedBecause !== null || completedRate === undefined) return [];
    if (inFlight === undefined || latency === undefined) return [];
    const isSteady = completedRate >= steadyShare * offeredRate;
    return [
      {
        verdict: isSteady ? ('kept' as const) : ('broken' as const),
        throughput: (inFlight * 1000) / latency,
        inFlight,
      },
    ];
  });

/** Returns the groups of points that differ only in the load, if the sweep varies the load. */
const curvesOf = (
  variables: readonly SweepVariable[],
  points: readonly SweepPoint[],
): SweepCurve[] => {
  if (!variables.some(({ isLoad }) => isLoad)) return [];
  const fixed = variables.filter(({ isLoad }) => !isLoad);
  const nameOf = ({ values }: SweepPoint): string =>
    pointName(
      fixed,
      values.filter((_, i) => !variables[i]!.isLoad),
    );
  const byName = Map.groupBy(points.keys(), (i) => nameOf(points[i]!));
  return Array.from(byName, ([name, members]) => ({
    name,
    points: members,
    fit: fitScalability(members.flatMap((i) => stepsOf(points[i]!))),
  }));
};

/**
 * Returns the first of `names` with enough samples at every usable point. If no figure has enough samples, returns the
 * last name that has a figure at any point.
 */
const wellKnown = (points: readonly SweepPoint[], names: readonly string[]): string => {
  const usable = points.filter(({ figures }) => Object.keys(figures).length > 0);
  const present = names.filter((name) => usable.some(({ figures }) => figures[name] !== undefined));
  return (
    present.find((name) => usable.every(({ figures }) => figures[name]?.isWeak === false)) ??
    present.at(-1) ??
    names.at(-1)!
  );
};

const requireAxis = (name: string): SweepAxis => {
  const axis = axisOf(name);
  if (axis === null) throw new Error(`${name} is no figure of a sweep`);
  return axis;
};

/**
 * Returns the default figure of throughput: the rate of output tokens if all traffic is chats, otherwise the rate of
 * completed requests. Tokens are preferred, since long requests are more work than short requests.
 */
const usualThroughput = ({ stages }: Plan): string =>
  stages.every(({ traffic }) =>
    traffic.every(({ kind }) => kind === 'chat' || kind === 'chat-stream'),
  )
    ? 'outputTokenRate'
    : 'completedRate';

/** Judges every point, finds the points on the front, and fits a law to each curve. */
export const judgeSweep = (
  { variables, points: made, throughput, latency }: MadeSweep,
  plan: Plan,
): Pick<SweepReport, 'throughput' | 'latency' | 'points' | 'curves'> => {
  const points = made.map(judgePoint);
  const measure = hasChatStreams(plan) ? 'ttft' : 'endToEnd';
  const hasUsual = points.some(({ figures }) => figures[usualThroughput(plan)] !== undefined);
  const x = throughput ?? (hasUsual ? usualThroughput(plan) : 'completedRate');
  const y = latency ?? wellKnown(points, [`${measure}.p95`, `${measure}.p50`]);
  const axes = { throughput: requireAxis(x), latency: requireAxis(y) };
  const front = frontOf(points, axes.throughput, axes.latency);
  return {
    ...axes,
    points: points.map((point) => ({ ...point, isOnFront: front.has(point) })),
    curves: curvesOf(variables, points),
  };
};
