import {
  type Objective,
  type RequestObjective,
  type ObjectiveScope,
  defaultMinSamples,
} from '../../model/plan/objective.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import {
  type ParseResult,
  parseObjective,
  parseRequestObjective,
  type ParsedObjective,
} from './objective-grammar.ts';
import type { ScenarioObjective } from '../schema/objective-schema.ts';

/** A written stage's name, and the names of the plan's stages that it became. */
export type StageNames = ReadonlyMap<string, readonly string[]>;

const expectParsed = <T>(parsed: ParseResult<T>): T => {
  if (!parsed.ok) throw new Error(`an objective passed the rules: ${parsed.error.message}`);
  return parsed.value;
};

const scopeOf = ({ labels }: ParsedObjective, stages: StageNames): ObjectiveScope => {
  const labelValues = new Map(labels.map(({ label, name }) => [label, name]));
  const traffic = labelValues.get('traffic');
  const stage = labelValues.get('stage');
  return {
    traffic: trafficKinds.find((kind: TrafficKind) => kind === traffic) ?? null,
    model: labelValues.get('model') ?? null,
    key: labelValues.get('key') ?? null,
    stages: stage === undefined ? null : [...(stages.get(stage) ?? [stage])],
  };
};

/** One line, however it was folded in the file. */
const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** The plan's objective of one that has passed every rule. */
export const compileObjective = (written: ScenarioObjective, stages: StageNames): Objective => {
  const longForm = typeof written === 'string' ? null : written;
  const text = typeof written === 'string' ? written : written.objective;
  const parsedObjective = expectParsed(parseObjective(text));
  const { figure, comparison, bound } = parsedObjective;
  return {
    text: oneLine(text),
    figure,
    scope: scopeOf(parsedObjective, stages),
    comparison,
    bound,
    minSamples:
      longForm?.minSamples ?? (figure.kind === 'measure' ? defaultMinSamples(figure.statistic) : 1),
    severity: longForm?.severity ?? 'fail',
    abortAfter: longForm?.abort?.after ?? null,
  };
};

/** The plan's per-request objective of one that has passed every rule. */
export const compileRequestObjective = (text: string, stages: StageNames): RequestObjective => {
  const parsedObjective = expectParsed(parseRequestObjective(text));
  const { figure, comparison, bound } = parsedObjective;
  const measure = figure.name;
  return {
    text: oneLine(text),
    measure,
    scope: scopeOf(parsedObjective, stages),
    comparison,
    bound,
  };
};
