import { autoWarmUpOf } from './auto-warm-up.ts';
import type { ScenarioObjective } from '../schema/objective-schema.ts';
import {
  type ParseResult,
  parseObjective,
  parseRequestObjective,
  type ParsedObjective,
  withQuota,
} from './objective-grammar.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import {
  type Objective,
  type ObjectiveFigure,
  type RequestObjective,
  type ObjectiveScope,
  defaultMinSamples,
} from '../../model/plan/objective.ts';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import type { ApiKey, Plan, Stage } from '../../model/plan/plan.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { compileLoad, defaultStageName, planStageNames } from './compile-load.ts';
import { limitsOfKeys, limitsWith } from './key-limits.ts';
import { compileTraffic, expectFound } from './compile-traffic.ts';
import { type PriceTable, readPriceTable } from './price-table.ts';
import { compilePace, readLearnedCharging } from '../schema/pace-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';

export const defaultKeyTemplate = '${env:WEIR_API_KEY}';

export const defaultKeyName = 'default';

const stagesOf = ({ stages, load }: Scenario): NonNullable<Scenario['stages']> =>
  stages ?? (load === undefined ? [] : [{ name: defaultStageName, load }]);

const compileStages = (scenario: Scenario, files: WorkloadFiles, prices: PriceTable): Stage[] =>
  stagesOf(scenario).flatMap((stage) => {
    const { body } = scenario;
    const common = { body, prices, isTraceReplay: stage.load.kind === 'trace', files };
    const entries = stage.traffic ?? scenario.traffic ?? [];
    const traffic = entries.map((entry) => compileTraffic(entry, common));
    return compileLoad(stage.load, files).map(({ suffix, load }) => ({
      name: `${stage.name}${suffix}`,
      load,
      traffic,
    }));
  });

const compileKeys = ({ keys, limits }: Pick<Scenario, 'keys' | 'limits'>): ApiKey[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight, limits: own }) => ({
      name,
      template: key,
      weight,
      ...(own === undefined ? {} : { limits: limitsWith(limits, own) }),
    }));
  }
  return [{ name: defaultKeyName, template: keys ?? defaultKeyTemplate, weight: 1 }];
};

/** The stages of the plan that each stage of the scenario became. The keys and the values are names. */
type StageNames = ReadonlyMap<string, readonly string[]>;

/**
 * Compiles the part that objectives of a run and objectives of single requests have in common. The text becomes one
 * line, even if it was folded in the file.
 */
const scopedObjective = <T extends ParsedObjective>(
  text: string,
  parsed: ParseResult<T>,
  stageNames: StageNames,
) => {
  if (!parsed.ok) throw new Error(`an objective passed the rules: ${parsed.error.message}`);
  const { labels, comparison, bound } = parsed.value;
  const figure: T['figure'] = parsed.value.figure;
  const named = new Map(labels.map(({ label, name }) => [label, name]));
  const stage = named.get('stage');
  const scope: ObjectiveScope = {
    traffic: trafficKinds.find((kind) => kind === named.get('traffic')) ?? null,
    model: named.get('model') ?? null,
    key: named.get('key') ?? null,
    stages: stage === undefined ? null : [...(stageNames.get(stage) ?? [stage])],
  };
  return { text: text.trim().replaceAll(/\s+/g, ' '), figure, scope, comparison, bound };
};

/**
 * Returns the default number of samples that an objective needs. A mean of the server’s own figures needs no number of
 * samples. It is a mean over time, so readings must cover most of the time instead.
 */
const usualMinSamples = (figure: ObjectiveFigure): number => {
  if (!('statistic' in figure)) return 1;
  return figure.kind === 'server' && figure.statistic === 'mean'
    ? 1
    : defaultMinSamples(figure.statistic);
};

export const compileObjective = (written: ScenarioObjective, stages: StageNames): Objective => {
  const { objective, ...long } = typeof written === 'string' ? { objective: written } : written;
  const { quota: excludes, ...rest }: Partial<typeof written & object> = long;
  const text = excludes === undefined ? objective : withQuota(objective);
  const parsed = parseObjective(text);
  const scoped = scopedObjective(text, parsed, stages);
  const { minSamples = usualMinSamples(scoped.figure), severity = 'fail', abort } = rest;
  const quota = parsed.ok && parsed.value.quota !== undefined ? { quota: parsed.value.quota } : {};
  return { ...scoped, minSamples, severity, abortAfter: abort?.after ?? null, ...quota };
};

const compileRequestObjective = (written: string, stages: StageNames): RequestObjective => {
  const parsed = parseRequestObjective(written);
  const { text, figure, ...rest } = scopedObjective(written, parsed, stages);
  return { text, measure: figure.name, ...rest };
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

/**
 * Returns the plan's `auth`. If the scenario uses the usual header, the field is absent, so that the hash of such a
 * plan stays the same.
 */
const authOf = ({ auth }: Scenario): Pick<Plan, 'auth'> =>
  auth === undefined || auth.header === 'authorization' ? {} : { auth };

/**
 * Returns the plan's `server`. If the scenario has none, the field is absent, so that the hash of such a plan stays the
 * same.
 */
const serverOf = ({ server }: Scenario): Pick<Plan, 'server'> =>
  server === undefined ? {} : { server };

const paceOf = (scenario: Scenario, files: WorkloadFiles): Plan['pace'] => {
  const { pace } = scenario;
  if (pace === undefined) return null;
  const learned = expectFound(readLearnedCharging(pace, files));
  return compilePace(pace, limitsOfKeys(scenario), learned);
};

/** The usual paths of the endpoints (interface, section 4). */
const usualPaths = {
  chat: '/chat/completions',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  models: '/models',
} as const;

/**
 * Returns the plan's `wire`. If the scenario names no paths of its own, `paths` is absent, so that the hash of such a
 * plan stays the same.
 */
const wireOf = ({ wire, endpoints = {} }: Scenario): Plan['wire'] => {
  const own = (['chat', 'speech', 'transcription', 'models'] as const).flatMap((name) => {
    const path = endpoints[name];
    return path === undefined || path === usualPaths[name]
      ? []
      : [[usualPaths[name], path] as const];
  });
  const paths: Record<string, string> = Object.fromEntries(own);
  return { ...wire, caFile: wire.caFile ?? null, ...(own.length === 0 ? {} : { paths }) };
};

/** Returns the plan's warm-up. One that the run finds is the longest possible one until then. */
const warmUpOf = (
  scenario: Scenario,
  files: WorkloadFiles,
): Pick<Plan, 'warmUp' | 'autoWarmUp'> => {
  if (scenario.warmUp !== 'auto') return { warmUp: scenario.warmUp };
  const loads = stagesOf(scenario).flatMap(({ load }) => compileLoad(load, files));
  const autoWarmUp = autoWarmUpOf(loads.map(({ load }) => load));
  if (autoWarmUp === null) throw new Error('a rule admits "warmUp: auto" only for one steady load');
  return { warmUp: autoWarmUp.latest, autoWarmUp };
};

/** Compiles a scenario that breaks no rule. `name` is the plan's name if the scenario has none. */
export const compilePlan = (scenario: Scenario, name: string, files: WorkloadFiles): Plan => {
  const prices = expectFound(readPriceTable(scenario.prices, files));
  return {
    format: 'plan/1',
    name: scenario.name ?? name,
    description: scenario.description,
    target: scenario.target,
    wire: wireOf(scenario),
    transport: scenario.wire.http2 ? 'undici' : scenario.transport,
    workers: scenario.workers,
    canary: scenario.canary,
    keys: compileKeys(scenario),
    ...authOf(scenario),
    headers: Object.fromEntries(
      Object.entries(scenario.headers).map(([header, value]) => [header.toLowerCase(), value]),
    ),
    stages: compileStages(scenario, files, prices),
    ...warmUpOf(scenario, files),
    ...(Object.keys(prices.pricing).length === 0 ? {} : { pricing: prices.pricing }),
    grace: scenario.grace,
    inFlight: scenario.inFlight,
    deadlines: scenario.deadlines,
    caps: scenario.caps,
    limits: {
      requestsPerMinute: scenario.limits.requestsPerMinute,
      tokensPerMinute: scenario.limits.tokensPerMinute,
      limiter: scenario.limits.class ?? null,
    },
    retry: scenario.retry,
    pace: paceOf(scenario, files),
    budget: scenario.budget,
    streams: scenario.streams,
    ...(scenario.fails === undefined ? {} : { fails: scenario.fails }),
    ...serverOf(scenario),
    ...compileObjectives(scenario),
    ...(scenario.until === undefined ? {} : { until: scenario.until }),
    seed: scenario.seed,
    mock: mockSettingsSchema.parse(scenario.mock),
  };
};
