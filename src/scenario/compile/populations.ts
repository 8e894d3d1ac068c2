import type { Milliseconds } from '../../model/quantity.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import { defaultStageName } from './compile-load.ts';

type ScenarioStage = NonNullable<Scenario['stages']>[number];

/** A stage with its name in the plan. `label` is the name of the stage in the scenario. A single load has no label. */
interface NamedStage extends ScenarioStage {
  readonly label: string | null;
}

/**
 * A population with all its fields, including those that it inherits from the scenario. A scenario without populations
 * is one population without a name.
 */
export interface WholePopulation extends Pick<Scenario, 'traffic' | 'retry' | 'objectives'> {
  readonly name: string | null;
  readonly after: Milliseconds;
  /** The population's own keys; `undefined` if the population uses the keys of the scenario. */
  readonly keys: Scenario['keys'];
  readonly stages: readonly NamedStage[];
  /** The name of the population's target; `null` if the scenario names no targets. */
  readonly target: string | null;
}

/**
 * Returns the name of a population's stage in the plan. The stage of a population with a single load has the
 * population's name. The names of populations contain no slash, so stages of different populations have different
 * names.
 */
export const populationStageName = (population: string | null, stage: string | null): string => {
  if (population === null) return stage ?? defaultStageName;
  return stage === null ? population : `${population}/${stage}`;
};

const stagesOf = (
  population: string | null,
  { stages, load }: Pick<Scenario, 'load' | 'stages'>,
): readonly NamedStage[] => {
  if (stages !== undefined)
    return stages.map((stage) => {
      const name = populationStageName(population, stage.name);
      return { ...stage, name, label: stage.name };
    });
  const name = populationStageName(population, null);
  return load === undefined ? [] : [{ name, load, label: null }];
};

/** Returns the populations of a scenario. A field that a population leaves out is taken from the scenario. */
export const wholePopulations = (scenario: Scenario): readonly WholePopulation[] => {
  const { populations, keys, traffic, retry } = scenario;
  if (populations === undefined) {
    const common = { keys, traffic, retry, objectives: [], after: milliseconds(0) };
    return [{ ...common, name: null, target: null, stages: stagesOf(null, scenario) }];
  }
  return populations.map((own) => ({
    name: own.name,
    after: own.after,
    keys: own.keys,
    traffic: own.traffic ?? traffic,
    retry: own.retry === undefined ? retry : own.retry,
    objectives: own.objectives,
    target: own.target ?? null,
    stages: stagesOf(own.name, own.load === undefined && own.stages === undefined ? scenario : own),
  }));
};
