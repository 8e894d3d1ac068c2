import type { Histogram } from '../../model/measures/histogram.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, type LabelFilter } from '../../model/result/summary.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';

export interface Both<T> {
  readonly base: T;
  readonly next: T;
}

export const onBoth = <A, B>({ base, next }: Both<A>, turn: (side: A) => B): Both<B> => ({
  base: turn(base),
  next: turn(next),
});

/** A set of requests that are compared together. Kinds and models are separate, since their latencies differ. */
export interface TrafficStream {
  readonly traffic: TrafficKind;
  /** The model; `null` means all models of the traffic kind. */
  readonly model: string | null;
}

const modelsOfKind = (results: readonly Result[], kind: TrafficKind): readonly string[] => {
  const labels = results.flatMap(({ groups }) => groups.map((group) => group.labels));
  const own = labels.filter(({ traffic, warmUp }) => traffic === kind && !warmUp);
  return [...new Set(own.map(({ model }) => model ?? ''))].sort();
};

/** Returns the traffic streams. If both sides have the same two or more models, each model is a separate stream. */
export const trafficStreamsOf = ({
  base,
  next,
}: Both<readonly Result[]>): readonly TrafficStream[] =>
  trafficKinds.flatMap((traffic): TrafficStream[] => {
    const [one, other] = [modelsOfKind(base, traffic), modelsOfKind(next, traffic)];
    if (one.length + other.length === 0) return [];
    return one.length < 2 || one.join('\n') !== other.join('\n')
      ? [{ traffic, model: null }]
      : one.map((model) => ({ traffic, model }));
  });

export const labelsOfStream =
  ({ traffic, model }: TrafficStream): LabelFilter =>
  (labels) =>
    !labels.warmUp && labels.traffic === traffic && (model === null || labels.model === model);

export const histogramsOf = (
  results: readonly Result[],
  stream: TrafficStream,
  measure: MeasureName,
): readonly Histogram[] =>
  results.map((result) => distributionOf(result, measure, labelsOfStream(stream)));
