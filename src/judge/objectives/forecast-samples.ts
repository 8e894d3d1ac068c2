import type {
  ForecastGroup,
  ObjectiveForecast,
  SampleForecast,
} from '../../model/plan/forecast.ts';
import { type MeasureName, measureNames, measures } from '../../model/measures/measures.ts';
import { inScope, type Objective } from '../../model/plan/objective.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { sumOf } from '../../model/sums.ts';

const awaitedIn = ({ measured, hangUps }: ForecastGroup): number => measured - hangUps;

/**
 * Counts the samples of the measures for which a completed request may have no sample or several samples. A count is
 * `null` if only the answers can show it.
 */
const specialCounts: Partial<
  Record<MeasureName, (group: ForecastGroup, plan: Plan) => number | null>
> = {
  gap: ({ gaps }) => gaps,
  connect: () => null,
  retryWait: () => null,
  wordErrorRate: () => null,
  paceWait: (group, { pace }) => (pace === null ? 0 : awaitedIn(group)),
};

const hasKind = (name: MeasureName, kind: TrafficKind): boolean =>
  measures[name].traffic.includes(kind);

/** Returns the maximum number of samples of a measure; `null` if the number is unknown for any group. */
const samplesOf = (
  name: MeasureName,
  groups: readonly ForecastGroup[],
  plan: Plan,
): number | null => {
  const each = groups
    .filter(({ traffic }) => hasKind(name, traffic))
    .map((group) => (specialCounts[name] ?? awaitedIn)(group, plan));
  return each.reduce<number | null>(
    (sum, samples) => (sum === null || samples === null ? null : sum + samples),
    0,
  );
};

export const forecastSamples = (
  groups: readonly ForecastGroup[],
  plan: Plan,
): readonly SampleForecast[] =>
  trafficKinds.flatMap((traffic) => {
    const own = groups.filter((group) => group.traffic === traffic);
    return measureNames.flatMap((measure) => {
      const samples = hasKind(measure, traffic) ? samplesOf(measure, own, plan) : null;
      return samples === null || samples === 0 ? [] : [{ measure, traffic, samples }];
    });
  });

const isWithin = ({ scope }: Objective, { key, ...group }: ForecastGroup): boolean =>
  key === null
    ? inScope({ ...scope, key }, { ...group, key: '' })
    : inScope(scope, { ...group, key });

const forecastFor = (
  objective: Objective,
  groups: readonly ForecastGroup[],
  plan: Plan,
): number | null => {
  const own = groups.filter((group) => isWithin(objective, group));
  // With a pace, the key of a request is not known beforehand. So the number of samples of one key is not known,
  // either.
  if (objective.scope.key !== null && own.some(({ key }) => key === null)) return null;
  const { figure } = objective;
  return figure.kind === 'measure'
    ? samplesOf(figure.name, own, plan)
    : sumOf(own, (group) => (figure.name === 'goodput' ? awaitedIn(group) : group.measured));
};

export const forecastDecisions = (
  groups: readonly ForecastGroup[],
  plan: Plan,
): readonly ObjectiveForecast[] =>
  plan.objectives.map((objective) => {
    const { text, figure, minSamples } = objective;
    if (figure.kind === 'count' || figure.kind === 'rate' || figure.kind === 'server') {
      return { text, needs: null, expects: null, isDecidable: true };
    }
    const most = forecastFor(objective, groups, plan);
    // The target may not report cached tokens. So it is never certain that a token share will have enough samples.
    const isReported = figure.kind !== 'token-share' || (most ?? 0) < minSamples;
    const expects = isReported ? most : null;
    return {
      text,
      needs: minSamples,
      expects,
      isDecidable: expects === null ? null : expects >= minSamples,
    };
  });
