import type { CapacityStep, ScalabilityFit } from '../model/capacity.ts';
import { criticalT } from '../../../judge/statistics/student-t.ts';

/**
 * Gunther's Universal Scalability Law (Guerrilla Capacity Planning, 2007) gives the throughput X for N requests in
 * flight: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)). With continuous batching, each step of a batch of N requests takes
 * a + cN, so X(N) = N / (a + cN). This is the law with κ = 0; a positive κ shows a gateway that gets slower with load.
 * N / X is linear in (1, N − 1, N(N − 1)). The fit is weighted least squares, with bands by Student’s t.
 */

type Row = readonly number[];

const columns = [() => 1, (n: number) => n - 1, (n: number) => n * (n - 1)] as const;
/** The forms of the law that are fitted, as lists of columns: without contention, without κ, without σ, and in full. */
const models = [[0], [0, 1], [0, 2], [0, 1, 2]] as const;

/** Returns the inverse of a small symmetric positive matrix by Gauss and Jordan; `null` if it is singular. */
const inverse = (matrix: readonly Row[]): readonly Row[] | null => {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < n; i += 1) {
    const pivot = rows[i]![i]!;
    if (Math.abs(pivot) < 1e-12) return null;
    rows[i] = rows[i]!.map((value) => value / pivot);
    for (let k = 0; k < n; k += 1) {
      const factor = rows[k]![i]!;
      if (k !== i) rows[k] = rows[k]!.map((value, j) => value - factor * rows[i]![j]!);
    }
  }
  return rows.map((row) => row.slice(n));
};

const dot = (one: Row, other: Row): number =>
  one.reduce((sum, value, i) => sum + value * other[i]!, 0);

interface Point {
  readonly n: number;
  readonly y: number;
}

/** Fits one form of the law. Residuals are relative, since a step's error is relative. */
const fitModel = (points: readonly Point[], model: readonly number[]) => {
  const rows = points.map(({ n, y }) => model.map((column) => columns[column]!(n) / y));
  const columnsOfRows = model.map((_, i) => rows.map((row) => row[i]!));
  const covariance = inverse(
    columnsOfRows.map((one) => columnsOfRows.map((other) => dot(one, other))),
  );
  if (covariance === null) return null;
  const sums = columnsOfRows.map((column) => column.reduce((sum, value) => sum + value, 0));
  const found = covariance.map((row) => dot(row, sums));
  if (found.some((value) => value < 0)) return null;
  const squares = rows.reduce((sum, row) => sum + (1 - dot(row, found)) ** 2, 0);
  const freedom = points.length - model.length;
  if (freedom < 1) return null;
  const variance = squares / freedom;
  const t = criticalT(0.05, freedom);
  /** Returns half the width of the 95 % band of N / X at N = `n`. */
  const band = (n: number): number => {
    const at = model.map((column) => columns[column]!(n));
    const form = covariance.reduce((sum, row, i) => sum + at[i]! * dot(row, at), 0);
    return t * Math.sqrt(variance * Math.max(0, form));
  };
  const betaOf = (column: number): number => found[model.indexOf(column)] ?? 0;
  const beta = [betaOf(0), betaOf(1), betaOf(2)] as const;
  return { beta, squares, band, parameters: model.length };
};

type LinearFit = NonNullable<ReturnType<typeof fitModel>>;

const criterion = ({ squares, parameters }: LinearFit, points: number): number =>
  points * Math.log(Math.max(squares, 1e-9) / points) + 2 * parameters;

const curvePoints = 60;

const curveOf = ({ beta, band }: LinearFit, most: number): ScalabilityFit['curve'] =>
  Array.from({ length: curvePoints }, (_, i) => {
    const n = (most * (i + 1)) / curvePoints;
    const y = columns.reduce((sum, column, k) => sum + beta[k]! * column(n), 0);
    const half = Math.min(band(n), y * 0.9);
    return {
      inFlight: n,
      rate: { value: n / y, low: n / (y + half), high: n / (y - half) },
      latency: y * 1000,
    };
  });

/**
 * Returns the point at which Kleinrock’s power X / R (ICC 1979) is largest. By Little’s law, R = N / X = y(N), so X / R
 * is N / y², which is largest where y = 2N y′. The N of this point is the positive root of 3β₂N² + (β₁ − β₂)N =
 * β₀ − β₁.
 */
const kneeOf = (
  { beta: [first, second, third] }: LinearFit,
  most: number,
): ScalabilityFit['knee'] => {
  const [linear, constant] = [second - third, first - second];
  const root =
    third === 0
      ? constant / second
      : (Math.sqrt(linear ** 2 + 12 * third * constant) - linear) / (6 * third);
  const n = Math.max(1, root);
  // Without contention, the law has no knee. A knee beyond the measured steps is unknown.
  if (!(n < most * 0.99)) return null;
  const y = first + second * (n - 1) + third * n * (n - 1);
  return { rate: n / y, inFlight: n, latency: y * 1000 };
};

/** Fits the law to the `kept` steps. Returns `null` if these steps have fewer than three different loads. */
export const fitScalability = (
  steps: readonly Pick<CapacityStep, 'verdict' | 'throughput' | 'inFlight'>[],
): ScalabilityFit | null => {
  const points = steps
    .filter(
      ({ verdict, throughput, inFlight }) => verdict === 'kept' && throughput > 0 && inFlight > 0,
    )
    .map(({ inFlight, throughput }) => ({ n: inFlight, y: inFlight / throughput }));
  const most = Math.max(0, ...points.map(({ n }) => n));
  if (new Set(points.map(({ n }) => n.toPrecision(2))).size < 3) return null;
  const fits = models.flatMap((model) => fitModel(points, model) ?? []);
  const best = fits.toSorted(
    (a, b) => criterion(a, points.length) - criterion(b, points.length),
  )[0];
  if (best === undefined || best.beta[0] <= 0) return null;
  const [first, second, third] = best.beta;
  return {
    lambda: 1 / first,
    sigma: second / first,
    kappa: third / first,
    points: points.length,
    residual: Math.sqrt(best.squares / points.length),
    knee: kneeOf(best, most),
    curve: curveOf(best, most),
  };
};
