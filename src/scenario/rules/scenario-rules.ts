import { formatDuration } from '../schema/notation.ts';
import { duplicateNameFindings } from './load-rules.ts';
import type { Rule } from './placed-stages.ts';

const loadOrStagesRule: Rule = (scenario) => {
  const [load, stages] = [scenario.at('load'), scenario.at('stages')];
  if (load.isPresent && stages.isPresent) {
    const message = 'a scenario has either "load" or "stages", and this one has both';
    return [stages.keyFinding(message, 'keep one of them')];
  }
  const message = '"load" is missing: expected one load, or several named ones under "stages"';
  const hint = 'for example load: {kind: constant, rate: 5/s, duration: 30s}';
  return load.isPresent || stages.isPresent ? [] : [load.keyFinding(message, hint)];
};

const missingTrafficRule: Rule = (scenario) => {
  const [traffic, stages] = [scenario.at('traffic'), scenario.at('stages')];
  const everyStageHasItsOwn =
    stages.isList && stages.items.every((stage) => stage.at('traffic').isPresent);
  const message = '"traffic" is missing: expected a list of the requests to send';
  const hint = 'for example traffic: [{kind: chat-stream, model: NAME}]';
  return traffic.isPresent || everyStageHasItsOwn ? [] : [traffic.keyFinding(message, hint)];
};

const retryRule: Rule = (scenario) => {
  const part = scenario.at('retry');
  const retry = part.sound;
  if (retry === undefined || retry === null) return [];
  const findings = duplicateNameFindings(part.at('on').items, 'retry');
  if (retry.cap >= retry.base) return findings;
  const [cap, base] = [formatDuration(retry.cap), formatDuration(retry.base)];
  const message = `the longest wait ("cap": ${cap}) is shorter than the first ("base": ${base})`;
  return [...findings, part.at('cap').keyFinding(message, 'raise "cap" or lower "base"')];
};

/** What is wrong between the fields of the scenario itself. */
export const scenarioRule: Rule = (scenario, files) => {
  const keyNames = scenario.at('keys').items.map((key) => key.at('name'));
  return [
    ...loadOrStagesRule(scenario, files),
    ...missingTrafficRule(scenario, files),
    ...duplicateNameFindings(keyNames, 'key'),
    ...retryRule(scenario, files),
  ];
};
