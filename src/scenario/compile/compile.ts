import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import type { ApiKey, Plan, Stage } from '../../model/plan/plan.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { compileLoad, defaultStageName, planStageNames } from './compile-load.ts';
import { compileObjective, compileRequestObjective } from './compile-objectives.ts';
import { compileTraffic } from './compile-traffic.ts';
import { compilePace } from '../schema/pace-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';

/** Where the key comes from when a scenario names none. */
export const defaultKeyTemplate = '${env:WEIR_API_KEY}';

/** What reports call the key of a scenario that names none. */
export const defaultKeyName = 'default';

const stagesOf = ({ stages, load }: Scenario): NonNullable<Scenario['stages']> =>
  stages ?? (load === undefined ? [] : [{ name: defaultStageName, load }]);

const compileStages = (scenario: Scenario, files: WorkloadFiles): Stage[] =>
  stagesOf(scenario).flatMap((stage) => {
    const stageTraffic = 'traffic' in stage ? stage.traffic : undefined;
    const { body, prices } = scenario;
    const common = { body, prices, isTraceReplay: stage.load.kind === 'trace', files };
    const entries = stageTraffic ?? scenario.traffic ?? [];
    const traffic = entries.map((entry) => compileTraffic(entry, common));
    return compileLoad(stage.load, files).map(({ suffix, load }) => ({
      name: `${stage.name}${suffix}`,
      load,
      traffic,
    }));
  });

const compileKeys = (keys: Scenario['keys']): ApiKey[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight }) => ({ name, template: key, weight }));
  }
  return [{ name: defaultKeyName, template: keys ?? defaultKeyTemplate, weight: 1 }];
};

const compileObjectives = (scenario: Scenario): Pick<Plan, 'objectives' | 'perRequest'> => {
  const stages = new Map(
    stagesOf(scenario).map(({ name, load }) => [name, planStageNames(name, load)]),
  );
  return {
    objectives: scenario.objectives.map((written) => compileObjective(written, stages)),
    perRequest: scenario.perRequest.map((text) => compileRequestObjective(text, stages)),
  };
};

const compileBudget = (budget: Scenario['budget']): Plan['budget'] => {
  if (budget === undefined) return null;
  const { requests = null, tokens = null, cost = null } = budget;
  return { requests, tokens, cost };
};

/** The plan of a scenario that has passed every rule; `name` serves where the scenario has none. */
export const compilePlan = (scenario: Scenario, name: string, files: WorkloadFiles): Plan => ({
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
