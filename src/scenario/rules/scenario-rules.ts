import { formatDuration } from '../schema/notation.ts';
import type { Scenario } from '../schema/scenario-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { duplicateNameFindings } from './load-rules.ts';

const loadOrStagesFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const [load, stages] = [scenario.at('load'), scenario.at('stages')];
  if (load.isPresent && stages.isPresent) {
    const message = 'a scenario has either "load" or "stages", and this one has both';
    return [stages.keyFinding(message, 'keep one of them')];
  }
  if (load.isPresent || stages.isPresent) return [];
  return [
    load.keyFinding(
      '"load" is missing: expected one load, or several named ones under "stages"',
      'for example load: {kind: constant, rate: 5/s, duration: 30s}',
    ),
  ];
};

const missingTrafficFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const [traffic, stages] = [scenario.at('traffic'), scenario.at('stages')];
  const everyStageHasItsOwn =
    stages.isList && stages.items.every((stage) => stage.at('traffic').isPresent);
  if (traffic.isPresent || everyStageHasItsOwn) return [];
  return [
    traffic.keyFinding(
      '"traffic" is missing: expected a list of the requests to send',
      'for example traffic: [{kind: chat-stream, model: NAME}]',
    ),
  ];
};

const keyNameFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const names = scenario.at('keys').items.map((key) => key.at('name'));
  return duplicateNameFindings(
    names.map((part) => ({ part, name: part.text })),
    'key',
  );
};

const retryFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const part = scenario.at('retry');
  const retry = part.sound;
  if (retry === undefined) return [];
  const classes = part.at('on').items.map((item) => ({ part: item, name: item.text }));
  const findings = duplicateNameFindings(classes, 'retry');
  if (retry.cap >= retry.base) return findings;
  const [cap, base] = [formatDuration(retry.cap), formatDuration(retry.base)];
  const message = `the longest wait ("cap": ${cap}) is shorter than the first ("base": ${base})`;
  return [...findings, part.at('cap').keyFinding(message, 'raise "cap" or lower "base"')];
};

/** What is wrong between the fields of the scenario itself; fields that are faulty themselves are left alone. */
export const scenarioRuleFindings = (
  scenario: ScenarioPart<Scenario>,
): readonly ScenarioFinding[] => [
  ...loadOrStagesFindings(scenario),
  ...missingTrafficFindings(scenario),
  ...keyNameFindings(scenario),
  ...retryFindings(scenario),
];
