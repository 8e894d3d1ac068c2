import { populationStageName } from '../compile/populations.ts';
import type { ScenarioLoad } from '../schema/load-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import type { ScenarioTraffic } from '../schema/traffic-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';

export type WholeScenario = ScenarioPart<Scenario>;
export type ScenarioEntry = ScenarioPart<ScenarioTraffic>;
export type Findings = Iterable<ScenarioFinding>;

/**
 * A rule finds problems between several fields, each of which may be valid alone. The schema reports all other
 * problems.
 */
export type Rule = (scenario: WholeScenario, files: WorkloadFiles) => Findings;

/** The fields that both a scenario and a population can have. */
type CommonFields = Pick<Scenario, 'load' | 'stages' | 'traffic' | 'keys' | 'retry'>;
type FieldHolder = ScenarioPart<CommonFields>;

/** Returns the parts that can have the fields of a population: the scenario and its populations. */
export const fieldHolders = (scenario: WholeScenario): readonly FieldHolder[] =>
  [scenario, ...scenario.at('populations').items].map(
    (each: ScenarioPart<unknown>) => each as FieldHolder,
  );

/** The fields that both a scenario and a named target can have. */
type TargetFields = Pick<Scenario, 'keys' | 'auth' | 'headers' | 'wire' | 'endpoints'>;

/** A target. A field that the target itself leaves out is taken from the scenario. */
export interface PlacedTarget {
  /** The name of the target; `null` if the scenario names no targets. */
  readonly name: string | null;
  readonly url: ScenarioPart<Scenario['target'] | undefined>;
  readonly own: ScenarioPart<TargetFields>;
  readonly keys: ScenarioPart<Scenario['keys']>;
  readonly auth: ScenarioPart<Scenario['auth']>;
  readonly headers: ScenarioPart<Scenario['headers']>;
  readonly wire: ScenarioPart<Scenario['wire']>;
}

/** Returns the targets of a scenario. A scenario that names no targets has one target. */
export const placedTargets = (scenario: WholeScenario): readonly PlacedTarget[] => {
  const common = scenario as ScenarioPart<unknown> as ScenarioPart<TargetFields>;
  const targets = scenario.at('targets');
  // A list in `targets` has no names, so it counts as one target. The schema reports this mistake.
  const names = targets.names.length > 0 ? targets.names : [null];
  return names.map((name) => {
    const named = name === null ? null : targets.at(name);
    const own = named === null ? common : (named as ScenarioPart<unknown> as typeof common);
    const holderOf = (field: keyof TargetFields) => (own.at(field).isPresent ? own : common);
    return {
      name,
      url: named === null ? scenario.at('target') : named.text === null ? named.at('url') : named,
      own,
      keys: holderOf('keys').at('keys'),
      auth: holderOf('auth').at('auth'),
      headers: holderOf('headers').at('headers'),
      wire: holderOf('wire').at('wire'),
    } as PlacedTarget;
  });
};

/** Returns whether a scenario sends to an address. Other scenarios send only to reference gateways. */
export const needsAddress = (scenario: WholeScenario): boolean =>
  placedTargets(scenario).some(({ url }) => addressOf({ url }) !== null);

/**
 * Returns the address of a target; `null` if the target is faulty or is a reference gateway. The short form (only the
 * address) and the long form (`{url: …}`) have the same meaning.
 */
export const addressOf = ({ url }: Pick<PlacedTarget, 'url'>): string | null => {
  const value = url.validValue as Scenario['target'] | { url: Scenario['target'] } | undefined;
  const target = value !== undefined && 'kind' in value ? value : value?.url;
  return target?.kind === 'url' ? target.url : null;
};

/** A population. A field that the population itself leaves out is taken from the scenario. */
export interface PlacedPopulation {
  /** The name of the population; `null` if the name is faulty, or if the scenario has no populations. */
  readonly name: string | null;
  readonly own: FieldHolder;
  readonly load: ScenarioPart<Scenario['load']>;
  readonly stages: ScenarioPart<Scenario['stages']>;
  readonly traffic: ScenarioPart<Scenario['traffic']>;
  readonly keys: ScenarioPart<Scenario['keys']>;
  /** The target of the population; `null` if the population names no existing target. */
  readonly target: PlacedTarget | null;
}

/** Returns the populations of a scenario. A scenario without `populations` is itself the only population. */
export const placedPopulations = (scenario: WholeScenario): readonly PlacedPopulation[] => {
  const [common, ...populations] = fieldHolders(scenario) as [FieldHolder, ...FieldHolder[]];
  const names = scenario.at('populations').items.map((each) => each.at('name').text);
  const isAlone = !scenario.at('populations').isPresent;
  const [only, ...more] = placedTargets(scenario);
  return (isAlone ? [common] : populations).map((own, place) => {
    const targetName = scenario.at('populations').items[place]?.at('target').text ?? null;
    const target = [only!, ...more].find(({ name }) => name === targetName) ?? null;
    const loads = own.at('load').isPresent || own.at('stages').isPresent ? own : common;
    return {
      name: names[place] ?? null,
      own,
      load: loads.at('load'),
      stages: loads.at('stages'),
      traffic: (own.at('traffic').isPresent ? own : common).at('traffic'),
      keys: own.at('keys').isPresent ? own.at('keys') : (target?.keys ?? common.at('keys')),
      target,
    };
  });
};

/** A stage in the form in which it was written. A scenario without stages is itself the only stage. */
export interface PlacedStage {
  /** The name of the stage's population; `null` if the name is faulty, or if the scenario has no populations. */
  readonly population: string | null;
  /** The name of the stage's target; `null` if the scenario names no targets. */
  readonly target: string | null;
  /** The name of the stage in the scenario; `null` if the name is faulty, or if the stage is a single load. */
  readonly label: string | null;
  /** The name of the stage in the plan; `null` if the name is faulty. */
  readonly name: string | null;
  readonly namePart: ScenarioPart<string | undefined>;
  readonly load: ScenarioPart<ScenarioLoad | undefined>;
  /** The traffic of the stage itself; otherwise the traffic of the stage's population or of the scenario. */
  readonly entries: readonly ScenarioEntry[];
}

export const placedStages = (scenario: WholeScenario): readonly PlacedStage[] =>
  placedPopulations(scenario).flatMap((placed): readonly PlacedStage[] => {
    const { name: population, stages, load, traffic } = placed;
    const target = placed.target?.name ?? null;
    const common = traffic.items;
    if (!stages.isList) {
      const name = populationStageName(population, null);
      const namePart = scenario.at('name');
      return [{ population, target, label: null, name, namePart, load, entries: common }];
    }
    return stages.items.map((stage) => {
      const [namePart, own] = [stage.at('name'), stage.at('traffic')];
      const label = namePart.text;
      return {
        population,
        target,
        label,
        name: label === null ? null : populationStageName(population, label),
        namePart,
        load: stage.at('load'),
        entries: own.isPresent ? own.items : common,
      };
    });
  });

/** Returns every traffic entry: the entries of the scenario itself, of its populations and of its stages. */
export const placedEntries = (scenario: WholeScenario): readonly ScenarioEntry[] =>
  fieldHolders(scenario).flatMap((holder) => [
    ...holder.at('traffic').items,
    ...holder.at('stages').items.flatMap((stage) => stage.at('traffic').items),
  ]);
