import { mockSettingsSchema } from '../model/mock-settings.ts';
import type { Key, Plan, Stage } from '../model/plan.ts';
import type { WorkloadFiles } from '../model/workload.ts';
import { compileLoad, onlyStage, stageNames } from './compile-load.ts';
import { compileObjective, compileRequestObjective } from './compile-objectives.ts';
import { compileTraffic } from './compile-traffic.ts';
import { defaultKeyTemplate } from './credentials.ts';
import { compilePace } from './pace-schema.ts';
import { onlyKey } from './offers.ts';
import type { Scenario } from './schema.ts';

const stagesOf = ({ stages, load }: Scenario): NonNullable<Scenario['stages']> =>
  stages ?? (load === undefined ? [] : [{ name: onlyStage, load }]);

const compileStages = (scenario: Scenario, files: WorkloadFiles): Stage[] =>
  stagesOf(scenario).flatMap((stage) => {
    const own = 'traffic' in stage ? stage.traffic : undefined;
    const common = {
      body: scenario.body,
      prices: scenario.prices,
      replays: stage.load.kind === 'trace',
      files,
    };
    const traffic = (own ?? scenario.traffic ?? []).map((entry) => compileTraffic(entry, common));
    return compileLoad(stage.load, files).map(({ suffix, load: compiled }) => ({
      name: `${stage.name}${suffix}`,
      load: compiled,
      traffic,
    }));
  });

const compileKeys = (keys: Scenario['keys']): Key[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight }) => ({ name, template: key, weight }));
  }
  return [{ name: onlyKey, template: keys ?? defaultKeyTemplate, weight: 1 }];
};

const compileObjectives = (scenario: Scenario): Pick<Plan, 'objectives' | 'perRequest'> => {
  const stages = new Map(
    stagesOf(scenario).map(({ name, load }) => [name, stageNames(name, load)]),
  );
  return {
    objectives: scenario.objectives.map((written) => compileObjective(written, stages)),
    perRequest: scenario.perRequest.map((text) => compileRequestObjective(text, stages)),
  };
};

const compileBudget = (budget: Scenario['budget']): Plan['budget'] =>
  budget === undefined
    ? null
    : {
        requests: budget.requests ?? null,
        tokens: budget.tokens ?? null,
        cost: budget.cost ?? null,
      };

/** The plan of a scenario that has passed every rule; `name` serves where the scenario has none. */
export const compile = (scenario: Scenario, name: string, files: WorkloadFiles): Plan => ({
  format: 'plan/1',
  name: scenario.name ?? name,
  description: scenario.description ?? null,
  target: scenario.target,
  wire: { ...scenario.wire, caFile: scenario.wire.caFile ?? null },
  transport: scenario.wire.http2 ? 'undici' : scenario.transport,
  workers: scenario.workers,
  canary: scenario.canary,
  keys: compileKeys(scenario.keys),
  headers: Object.fromEntries(
    Object.entries(scenario.headers).map(([header, value]) => [header.toLowerCase(), value]),
  ),
  stages: compileStages(scenario, files),
  warmUp: scenario.warmUp,
  grace: scenario.grace,
  inFlight: scenario.inFlight,
  deadlines: scenario.deadlines,
  caps: scenario.caps,
  limits: {
    requestsPerMinute: scenario.limits.requestsPerMinute,
    tokensPerMinute: scenario.limits.tokensPerMinute,
    limiter: scenario.limits.class ?? null,
  },
  retry: scenario.retry ?? null,
  pace: scenario.pace === undefined ? null : compilePace(scenario.pace, scenario.limits),
  budget: compileBudget(scenario.budget),
  streams: scenario.streams,
  ...compileObjectives(scenario),
  seed: scenario.seed,
  mock: mockSettingsSchema.parse(scenario.mock),
});
