import { canBeSure } from '../../model/plan/objective.ts';
import { type ParsedObjective, parseObjective } from '../compile/objective-grammar.ts';
import { endlessKinds } from '../text/at-most.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { type Findings, placedStages, type WholeScenario } from './placed-stages.ts';

type ObjectiveItem = ScenarioPart<{ readonly objective?: string; readonly quota?: string }>;

/** Returns an objective of the scenario; `null` if the objective is faulty. Another rule reports a faulty objective. */
const objectiveIn = (item: ScenarioPart<unknown>): ParsedObjective | null => {
  const text = item.text ?? (item as ObjectiveItem).at('objective').text;
  const parsed = text === null ? null : parseObjective(text);
  return parsed?.ok === true ? parsed.value : null;
};

const mayBeSure = (item: ScenarioPart<unknown>): boolean => {
  const objective = objectiveIn(item);
  return objective === null || canBeSure(objective);
};

const hasQuota = (item: ScenarioPart<unknown>): boolean =>
  objectiveIn(item)?.quota !== undefined ||
  (item.text === null && (item as ObjectiveItem).at('quota').isPresent);

export function* untilRule(scenario: WholeScenario): Findings {
  const [until, atMost] = [scenario.at('until'), scenario.at('atMost')];
  if (!until.isPresent) {
    if (atMost.isPresent)
      yield atMost.keyFinding(
        '"atMost" needs "until: decided"',
        'add it, or give the load a duration',
      );
    return;
  }
  const objectives = scenario.at('objectives');
  if (!objectives.items.some(mayBeSure)) {
    const message =
      '"until: decided" needs an objective that can become sure: on a percentile, a mean, a share or a rate';
    yield until.keyFinding(message, 'for example objectives: ["ttft.p95 < 800ms"]');
  }
  for (const item of objectives.items) {
    if (!hasQuota(item)) continue;
    const message =
      '"until: decided" cannot wait for an objective with quota=excluded: which 429s a limit explains is judged when the run ends';
    yield item.valueFinding(message, 'leave out one of the two');
  }
  const kind = placedStages(scenario).at(-1)?.load.at('kind');
  if (typeof kind?.text !== 'string' || endlessKinds.includes(kind.text)) return;
  const message = `"until: decided" cannot end a load of the kind ${JSON.stringify(kind.text)}, whose end is part of it`;
  yield kind.valueFinding(message, `end with one of ${endlessKinds.join(', ')}`);
}
