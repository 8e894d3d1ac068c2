import { mockSettingsSchema } from '../model/mock-settings.ts';
import type { Key, Plan, Stage } from '../model/plan.ts';
import { compileLoad } from './compile-load.ts';
import { compileTraffic } from './compile-traffic.ts';
import { defaultKeyTemplate } from './credentials.ts';
import type { Scenario } from './schema.ts';

/** The stage's name where a scenario has one load only. */
export const onlyStage = 'main';

const compileStages = (scenario: Scenario): Stage[] => {
  const { load } = scenario;
  const stages = scenario.stages ?? (load === undefined ? [] : [{ name: onlyStage, load }]);
  return stages.flatMap((stage) => {
    const own = 'traffic' in stage ? stage.traffic : undefined;
    const traffic = (own ?? scenario.traffic ?? []).map((entry) => compileTraffic(entry, scenario));
    return compileLoad(stage.load).map(({ suffix, load: compiled }) => ({
      name: `${stage.name}${suffix}`,
      load: compiled,
      traffic,
    }));
  });
};

const compileKeys = (keys: Scenario['keys']): Key[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight }) => ({ name, template: key, weight }));
  }
  return [{ name: 'default', template: keys ?? defaultKeyTemplate, weight: 1 }];
};

/** The plan of a scenario that has passed every rule; `name` serves where the scenario has none. */
export const compile = (scenario: Scenario, name: string): Plan => ({
  format: 'plan/1',
  name: scenario.name ?? name,
  description: scenario.description ?? null,
  target: scenario.target,
  wire: { ...scenario.wire, caFile: scenario.wire.caFile ?? null },
  transport: scenario.wire.http2 ? 'undici' : scenario.transport,
  keys: compileKeys(scenario.keys),
  headers: Object.fromEntries(
    Object.entries(scenario.headers).map(([header, value]) => [header.toLowerCase(), value]),
  ),
  stages: compileStages(scenario),
  warmUp: scenario.warmUp,
  grace: scenario.grace,
  inFlight: scenario.inFlight,
  deadlines: scenario.deadlines,
  caps: scenario.caps,
  limits: scenario.limits,
  streams: scenario.streams,
  seed: scenario.seed,
  mock: mockSettingsSchema.parse(scenario.mock),
});
