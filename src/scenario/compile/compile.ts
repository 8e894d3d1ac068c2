import { autoWarmUpOf } from './auto-warm-up.ts';
import type { ScenarioObjective } from '../schema/objective-schema.ts';
import {
  type ParseResult,
  parseObjective,
  parseRequestObjective,
  type ParsedObjective,
  withPopulation,
  withQuota,
} from './objective-grammar.ts';
import { hashOf } from '../../model/workload/draw.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import {
  type Objective,
  type ObjectiveFigure,
  type RequestObjective,
  type ObjectiveScope,
  defaultMinSamples,
} from '../../model/plan/objective.ts';
import { mockSettingsSchema } from '../../model/gateway/mock-settings.ts';
import type { ApiKey, NamedTarget, Plan, Stage } from '../../model/plan/plan.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { compileLoad, planStageNames } from './compile-load.ts';
import { keyNameAt, limitsOfKeys, limitsWith } from './key-limits.ts';
import { compileTraffic, expectFound } from './compile-traffic.ts';
import { type WholePopulation, wholePopulations } from './populations.ts';
import { type PriceTable, readPriceTable } from './price-table.ts';
import { compilePace, readLearnedCharging } from '../schema/pace-schema.ts';
import type { Scenario } from '../schema/scenario-schema.ts';

export const defaultKeyTemplate = '${env:WEIR_API_KEY}';

export const defaultKeyName = 'default';

/** Each population reserves this many random streams for its stages. */
const maxStages = 2 ** 20;

/**
 * Returns the number of the random stream of a population's first stage. The number depends only on the population's
 * name.
 */
const firstStream = (name: string): number =>
  [...name].reduce((hash, letter) => hashOf(hash, letter.codePointAt(0)!, 0), 1) * maxStages;

const compileStages = (scenario: Scenario, files: WorkloadFiles, prices: PriceTable): Stage[] =>
  wholePopulations(scenario).flatMap(({ name: population, traffic: ownEntries, stages }) => {
    const compiled = stages.flatMap((stage) => {
      const { body } = scenario;
      const common = { body, prices, isTraceReplay: stage.load.kind === 'trace', files };
      const entries = stage.traffic ?? ownEntries ?? [];
      const traffic = entries.map((entry) => compileTraffic(entry, common));
      return compileLoad(stage.load, files).map(({ suffix, load }) => ({
        name: `${stage.name}${suffix}`,
        load,
        traffic,
      }));
    });
    if (population === null) return compiled;
    const first = firstStream(population);
    return compiled.map((stage, place) => ({ ...stage, population, stream: first + place }));
  });

const keysOf = (
  { keys, limits }: Pick<Scenario, 'keys' | 'limits'>,
  defaultName: string,
): ApiKey[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight, limits: own }) => ({
      name,
      template: key,
      weight,
      ...(own === undefined ? {} : { limits: limitsWith(limits, own) }),
    }));
  }
  return [{ name: defaultName, template: keys ?? defaultKeyTemplate, weight: 1 }];
};

/** Returns the limits that a named target declares; `undefined` if the limits of the scenario apply to the target. */
const limitsOfTarget = (
  { targets, limits }: Scenario,
  target: string | null,
): ApiKey['limits'] | undefined => {
  const own = target === null ? undefined : targets?.[target]?.limits;
  return own === undefined ? undefined : limitsWith(limits, own);
};

/** Returns the keys of a population. A single key without a name gets the population's name. */
const keysOfPopulation = (
  scenario: Scenario,
  { name, keys, target }: WholePopulation,
): ApiKey[] => {
  const limits = { ...scenario.limits, ...limitsOfTarget(scenario, target) };
  const common = target === null ? undefined : scenario.targets?.[target]?.keys;
  const found =
    keys === undefined || name === null
      ? keysOf({ keys: common ?? scenario.keys, limits }, defaultKeyName)
      : keysOf({ keys, limits }, name);
  if (target === null) return found;
  return found.map((key) => ({ ...key, name: keyNameAt(key.name, target), target }));
};

/**
 * Returns the keys of all populations, each key once. Several populations may name the same key. At most one of them
 * declares limits for the key, and these limits apply. A key at two targets becomes two keys of the plan, since each
 * target counts separately.
 */
const compileKeys = (scenario: Scenario): ApiKey[] => {
  const keys = new Map<string, ApiKey>();
  for (const key of wholePopulations(scenario).flatMap((each) => keysOfPopulation(scenario, each)))
    if (key.limits !== undefined || !keys.has(key.name)) keys.set(key.name, key);
  return [...keys.values()].map((key) => {
    const limits = key.limits ?? limitsOfTarget(scenario, key.target ?? null);
    return limits === undefined ? key : { ...key, limits };
  });
};

/** Returns the plan's field `populations`; an empty object if the scenario has no populations. */
const populationsOf = (scenario: Scenario): Pick<Plan, 'populations'> => {
  if (scenario.populations === undefined) return {};
  const populations = wholePopulations(scenario).map((population) => ({
    name: population.name!,
    after: population.after,
    keys: keysOfPopulation(scenario, population).map(({ name, weight }) => ({ name, weight })),
    retry: population.retry,
    ...(population.target === null ? {} : { target: population.target }),
  }));
  return { populations };
};

/**
 * Maps each stage, each population and each target of the scenario to the names of its stages in the plan. The keys of
 * the maps are the names in the scenario.
 */
interface StageNames {
  readonly stage: ReadonlyMap<string, readonly string[]>;
  readonly population: ReadonlyMap<string, readonly string[]>;
  readonly target: ReadonlyMap<string, readonly string[]>;
  /** The names of the plan's keys. */
  readonly keys: readonly string[];
}

/**
 * Returns the name in the plan of a key that an objective names. The objective may leave out the name of the key's
 * target.
 */
const keyInPlan = (name: string, target: string | undefined, keys: readonly string[]): string => {
  if (keys.includes(name)) return name;
  if (target !== undefined) return keyNameAt(name, target);
  return keys.find((key) => key.startsWith(keyNameAt(name, ''))) ?? name;
};

/**
 * Compiles the fields that objectives of a run and of single requests have in common. The text of the objective is put
 * on one line, even if it has several lines in the file.
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
  const [stage, population] = [named.get('stage'), named.get('population')];
  const [target, key] = [named.get('target'), named.get('key')];
  const chosen = [
    stage === undefined ? null : (stageNames.stage.get(stage) ?? [stage]),
    population === undefined ? null : (stageNames.population.get(population) ?? []),
    target === undefined ? null : (stageNames.target.get(target) ?? []),
  ].filter((names) => names !== null);
  const scope: ObjectiveScope = {
    traffic: trafficKinds.find((kind) => kind === named.get('traffic')) ?? null,
    model: named.get('model') ?? null,
    key: key === undefined ? null : keyInPlan(key, target, stageNames.keys),
    stages:
      chosen.length === 0
        ? null
        : chosen[0]!.filter((name) => chosen.every((names) => names.includes(name))),
  };
  return { text: text.trim().replaceAll(/\s+/g, ' '), figure, scope, comparison, bound };
};

/**
 * Returns the minimum number of samples of an objective that names no minimum. One sample is enough for the mean of a
 * figure of the server. This mean is a mean over time, and the readings must cover most of the time.
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

/** Restricts an objective to the requests of a population. */
const ofPopulation = (written: ScenarioObjective, population: string): ScenarioObjective =>
  typeof written === 'string'
    ? withPopulation(written, population)
    : { ...written, objective: withPopulation(written.objective, population) };

const stageNamesOf = (
  populations: readonly WholePopulation[],
  keys: readonly string[],
): StageNames => {
  const [byStage, byPopulation] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const byTarget = new Map<string, string[]>();
  for (const { name: population, stages, target } of populations) {
    for (const { name, label, load } of stages) {
      const planned = planStageNames(name, load);
      for (const each of new Set([name, label ?? name]))
        byStage.set(each, [...(byStage.get(each) ?? []), ...planned]);
      if (target !== null) byTarget.set(target, [...(byTarget.get(target) ?? []), ...planned]);
      if (population === null) continue;
      byPopulation.set(population, [...(byPopulation.get(population) ?? []), ...planned]);
    }
  }
  return { stage: byStage, population: byPopulation, target: byTarget, keys };
};

const compileObjectives = (scenario: Scenario): Pick<Plan, 'objectives' | 'perRequest'> => {
  const populations = wholePopulations(scenario);
  const keys = compileKeys(scenario).map(({ name }) => name);
  const stages = stageNamesOf(populations, keys);
  const ofPopulations = populations.flatMap(({ name, objectives }) =>
    objectives.map((written) => ofPopulation(written, name!)),
  );
  return {
    objectives: [...scenario.objectives, ...ofPopulations].map((written) =>
      compileObjective(written, stages),
    ),
    perRequest: scenario.perRequest.map((text) => compileRequestObjective(text, stages)),
  };
};

/**
 * Returns the plan's field `auth`. The field is absent if keys are sent in the default header, so that the plan has the
 * same hash as in older versions.
 */
const authOf = ({ auth }: Pick<Scenario, 'auth'>): Pick<NamedTarget, 'auth'> =>
  auth === undefined || auth.header === 'authorization' ? {} : { auth };

/**
 * Returns the plan's field `server`. The field is absent if the scenario has no `server`, so that the plan has the same
 * hash as in older versions.
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
 * Returns the plan's field `wire`. `paths` is absent if all paths are the usual paths, so that the plan has the same
 * hash as in older versions.
 */
const wireOf = ({ wire, endpoints = {} }: Pick<Scenario, 'wire' | 'endpoints'>): Plan['wire'] => {
  const own = (['chat', 'speech', 'transcription', 'models'] as const).flatMap((name) => {
    const path = endpoints[name];
    return path === undefined || path === usualPaths[name]
      ? []
      : [[usualPaths[name], path] as const];
  });
  const paths: Record<string, string> = Object.fromEntries(own);
  return { ...wire, caFile: wire.caFile ?? null, ...(own.length === 0 ? {} : { paths }) };
};

const lowerCaseNames = (headers: Scenario['headers']): Plan['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]),
  );

type OfTarget = Pick<Plan, 'target' | 'wire' | 'transport' | 'auth' | 'headers' | 'targets'>;

/**
 * Returns the plan's fields about its target or targets. A field that a named target leaves out is taken from the
 * scenario.
 */
const targetsOf = (scenario: Scenario): OfTarget => {
  const { transport } = scenario;
  const named = Object.entries(scenario.targets ?? {}).map(([name, { url, ...own }]) => {
    const { wire = scenario.wire, endpoints = scenario.endpoints } = own;
    const { auth = scenario.auth, headers = scenario.headers } = own;
    return {
      name,
      target: url,
      wire: wireOf({ wire, endpoints }),
      ...authOf({ auth }),
      headers: lowerCaseNames(headers),
    };
  });
  const [first] = named;
  if (first !== undefined) {
    const { name: _, ...ofFirst } = first;
    return { ...ofFirst, transport, targets: named };
  }
  return {
    target: scenario.target,
    wire: wireOf(scenario),
    transport: scenario.wire.http2 ? 'undici' : transport,
    ...authOf(scenario),
    headers: lowerCaseNames(scenario.headers),
  };
};

/**
 * Returns the plan's warm-up. For a run that determines the end of its warm-up itself, returns the longest possible
 * warm-up.
 */
const warmUpOf = (
  scenario: Scenario,
  files: WorkloadFiles,
): Pick<Plan, 'warmUp' | 'autoWarmUp'> => {
  if (scenario.warmUp !== 'auto') return { warmUp: scenario.warmUp };
  const loads = (wholePopulations(scenario)[0]?.stages ?? []).flatMap(({ load }) =>
    compileLoad(load, files),
  );
  const autoWarmUp = autoWarmUpOf(loads.map(({ load }) => load));
  if (autoWarmUp === null) throw new Error('a rule admits "warmUp: auto" only for one steady load');
  return { warmUp: autoWarmUp.latest, autoWarmUp };
};

/** Compiles a scenario that breaks no rule. `name` is the name of the plan if the scenario has no name. */
export const compilePlan = (scenario: Scenario, name: string, files: WorkloadFiles): Plan => {
  const prices = expectFound(readPriceTable(scenario.prices, files));
  const { auth, headers, ...target } = targetsOf(scenario);
  return {
    format: 'plan/1',
    name: scenario.name ?? name,
    description: scenario.description,
    ...target,
    workers: scenario.workers,
    canary: scenario.canary,
    keys: compileKeys(scenario),
    ...(auth === undefined ? {} : { auth }),
    headers,
    stages: compileStages(scenario, files, prices),
    ...populationsOf(scenario),
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
