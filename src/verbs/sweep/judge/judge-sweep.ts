import { hasChatStreams, type Plan } from '../../../model/plan/plan.ts';
import {
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

/** The runs of a sweep, and the criteria by which its points are judged. */
export interface MadeSweep {
  readonly variables: readonly SweepVariable[];
  readonly points: readonly MadePoint[];
  /** The name of a figure; `null` means that it is chosen by the points' data. */
  readonly throughput: string | null;
  readonly latency: string | null;
}

/** Returns the points that no other one beats, by being at least as good in both figures and better in one. */
const frontOf = (points: readonly SweepPoint[], x: string, y: string): ReadonlySet<SweepPoint> => {
  const known = points.flatMap((point) => {
    const [throughput, latency] = [point.figures[x]?.value, point.figures[y]?.value];
    return point.verdict !== 'kept' || throughput === undefined || latency === undefined
      ? []
      : [{ point, throughput, latency }];
  });
  const isBeaten = (one: (typeof known)[number]): boolean =>
    known.some(
      (other) =>
        other.throughput >= one.throughput &&
        other.latency <= one.latency &&
        (other.throughput > one.throughput || other.latency < one.latency),
    );
  return new Set(known.filter((each) => !isBeaten(each)).map(({ point }) => point));
};

/**
 * The minimum share of arrivals that are answered for a steady flow. An open load above the capacity receives fewer
 * answers.
 */
const steadyShare = 0.9;

/**
 * Returns the throughput and the requests in flight of each run that counts, as steps for fitting the law. Throughput
 * is computed by Little's law from the requests in flight and their mean time. Counting answers would be less exact:
 * users in step with each other end many requests at once, so a short run's count may be wrong by such a batch.
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

/** Returns the groups of points that differ in the load alone, if the sweep varies it. */
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

/** The first of `names` for which every usable point has enough samples; otherwise the last that any point has. */
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
 * Returns the usual throughput: in tokens if all traffic generates them, since requests of different lengths differ in
 * work.
 */
const usualThroughput = ({ stages }: Plan): string =>
  stages.every(({ traffic }) =>
    traffic.every(({ kind }) => kind === 'chat' || kind === 'chat-stream'),
  )
    ? 'outputTokenRate'
    : 'completedRate';

/** Judges every point, finds those on the front, and fits a law to each curve. */
export const judgeSweep = (
  { variables, points: made, throughput, latency }: MadeSweep,
  plan: Plan,
): Pick<SweepReport, 'throughput' | 'latency' | 'points' | 'curves'> => {
  const points = made.map(judgePoint);
  const measure = hasChatStreams(plan) ? 'ttft' : 'endToEnd';
  const hasUsual = points.some(({ figures }) => figures[usualThroughput(plan)] !== undefined);
  const x = throughput ?? (hasUsual ? usualThroughput(plan) : 'completedRate');
  const y = latency ?? wellKnown(points, [`${measure}.p95`, `${measure}.p50`]);
  const front = frontOf(points, x, y);
  return {
    throughput: requireAxis(x),
    latency: requireAxis(y),
    points: points.map((point) => ({ ...point, isOnFront: front.has(point) })),
    curves: curvesOf(variables, points),
  };
};
