import { defaultStageName } from '../compile/compile-load.ts';
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
 * A rule finds problems between fields. Each of the fields may be valid when it is read alone. The schema reports all
 * other problems.
 */
export type Rule = (scenario: WholeScenario, files: WorkloadFiles) => Findings;

/** A stage as it was written. If a scenario has no stages, the scenario itself is the only stage. */
export interface PlacedStage {
  readonly name: string | null;
  readonly namePart: ScenarioPart<string | undefined>;
  readonly load: ScenarioPart<ScenarioLoad | undefined>;
  /** The traffic of the stage itself or, if the stage has none, that of the scenario. */
  readonly entries: readonly ScenarioEntry[];
}

export const placedStages = (scenario: WholeScenario): readonly PlacedStage[] => {
  const stages = scenario.at('stages');
  const common = scenario.at('traffic').items;
  if (!stages.isList) {
    const [namePart, load] = [scenario.at('name'), scenario.at('load')];
    return [{ name: defaultStageName, namePart, load, entries: common }];
  }
  return stages.items.map((stage) => {
    const [namePart, own] = [stage.at('name'), stage.at('traffic')];
    const entries = own.isPresent ? own.items : common;
    return { name: namePart.text, namePart, load: stage.at('load'), entries };
  });
};

/** Returns every traffic entry: the scenario's own and those of its stages. */
export const placedEntries = (scenario: WholeScenario): readonly ScenarioEntry[] => [
  ...scenario.at('traffic').items,
  ...scenario.at('stages').items.flatMap((stage) => stage.at('traffic').items),
];
