import {
  type Objective,
  type RequestObjective,
  type Scope,
  usualMinimum,
} from '../model/objective.ts';
import { type TrafficKind, trafficKinds } from '../model/traffic.ts';
import {
  type Parsed,
  parseObjective,
  parseRequestObjective,
  type Spoken,
} from './objective-grammar.ts';
import type { ScenarioObjective } from './objective-schema.ts';

/** A written stage's name, and the names of the plan's stages that it became. */
export type StageNames = ReadonlyMap<string, readonly string[]>;

const sound = <T>(parsed: Parsed<T>): T => {
  if (!parsed.ok) throw new Error(`an objective passed the rules: ${parsed.fault.message}`);
  return parsed.value;
};

const scopeOf = ({ labels }: Spoken, stages: StageNames): Scope => {
  const given = new Map(labels.map(({ label, value }) => [label, value]));
  const traffic = given.get('traffic');
  const stage = given.get('stage');
  return {
    traffic: trafficKinds.find((kind: TrafficKind) => kind === traffic) ?? null,
    model: given.get('model') ?? null,
    key: given.get('key') ?? null,
    stages: stage === undefined ? null : [...(stages.get(stage) ?? [stage])],
  };
};

/** One line, however it was folded in the file. */
const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** The plan's objective of one that has passed every rule. */
export const compileObjective = (written: ScenarioObjective, stages: StageNames): Objective => {
  const long = typeof written === 'string' ? null : written;
  const text = typeof written === 'string' ? written : written.objective;
  const spoken = sound(parseObjective(text));
  const { figure, comparison, bound } = spoken;
  return {
    text: oneLine(text),
    figure,
    scope: scopeOf(spoken, stages),
    comparison,
    bound,
    minSamples:
      long?.minSamples ?? (figure.kind === 'measure' ? usualMinimum(figure.statistic) : 1),
    severity: long?.severity ?? 'fail',
    abortAfter: long?.abort?.after ?? null,
  };
};

/** The plan's per-request objective of one that has passed every rule. */
export const compileRequestObjective = (text: string, stages: StageNames): RequestObjective => {
  const spoken = sound(parseRequestObjective(text));
  const { figure, comparison, bound } = spoken;
  const measure = figure.name;
  return { text: oneLine(text), measure, scope: scopeOf(spoken, stages), comparison, bound };
};
