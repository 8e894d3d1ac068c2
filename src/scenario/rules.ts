import { arrivalsOf, loadDuration } from '../model/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { WorkloadFiles } from '../model/workload.ts';
import { type CompiledLoad, compileLoad, cutOf, onlyStage } from './compile-load.ts';
import { longest } from './field.ts';
import { loadSchema, type ScenarioLoad } from './load-schema.ts';
import { formatDuration } from './notation.ts';
import { brokenPace } from './pace-rules.ts';
import type { Finding } from './problem.ts';
import { besideSaturation } from './saturate-rules.ts';
import { retrySchema } from './retry-schema.ts';
import { scenarioSchema } from './schema.ts';
import { isMapping, type Path, valueAt } from './tree.ts';

/**
 * What the parts of a scenario demand of one another. The rules look at whatever part is sound by
 * itself, so that their findings come together with those of the fields.
 */

/** More is not a test any more; it would also outgrow a run's bookkeeping. */
const mostArrivals = 10_000_000;

const grouped = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 3 });

/** A load where it stands; `load` is `null` while its fields are faulty. */
interface PlacedLoad {
  readonly path: Path;
  readonly name: unknown;
  readonly load: ScenarioLoad | null;
  readonly compiled: readonly CompiledLoad[];
}

const placeFrom =
  (files: WorkloadFiles) =>
  (value: unknown, path: Path, name: unknown): PlacedLoad => {
    const load = loadSchema.safeParse(value).data ?? null;
    return { path, name, load, compiled: load === null ? [] : compileLoad(load, files) };
  };

const placedLoads = (scenario: unknown, files: WorkloadFiles): readonly PlacedLoad[] => {
  const place = placeFrom(files);
  const stages = valueAt(scenario, ['stages']);
  if (Array.isArray(stages)) {
    return stages.map((stage: unknown, index) =>
      place(valueAt(stage, ['load']), ['stages', index, 'load'], valueAt(stage, ['name'])),
    );
  }
  const load = valueAt(scenario, ['load']);
  return load === undefined ? [] : [place(load, ['load'], onlyStage)];
};

const value = (path: Path, message: string, hint: string | null = null): Finding => ({
  path,
  part: 'value',
  message,
  hint,
});
const key = (path: Path, message: string, hint: string | null = null): Finding => ({
  path,
  part: 'key',
  message,
  hint,
});

const eitherLoadOrStages = (scenario: unknown): Finding[] => {
  const load = valueAt(scenario, ['load']) !== undefined;
  const stages = valueAt(scenario, ['stages']) !== undefined;
  if (load && stages) {
    return [key(['stages'], '"load" and "stages" stand side by side', 'keep one of them')];
  }
  return load || stages
    ? []
    : [
        key(
          ['load'],
          '"load" is missing: expected one load, or several named ones under "stages"',
          'for example load: {kind: constant, rate: 5/s, duration: 30s}',
        ),
      ];
};

const trafficForEveryStage = (scenario: unknown): Finding[] => {
  if (valueAt(scenario, ['traffic']) !== undefined) return [];
  const stages = valueAt(scenario, ['stages']);
  const own =
    Array.isArray(stages) &&
    stages.every((stage: unknown) => valueAt(stage, ['traffic']) !== undefined);
  return own
    ? []
    : [
        key(
          ['traffic'],
          '"traffic" is missing: expected a list of what the requests ask for',
          'for example traffic: [{kind: chat-stream, model: NAME}]',
        ),
      ];
};

/** A finding for each name that stood before. */
const doubled = (names: readonly { path: Path; name: unknown }[], what: string): Finding[] =>
  names.flatMap(({ path, name }, index) =>
    typeof name === 'string' && names.findIndex((other) => other.name === name) < index
      ? [value(path, `${what} names must differ; ${JSON.stringify(name)} stands here again`)]
      : [],
  );

const namesThatDiffer = (scenario: unknown, loads: readonly PlacedLoad[]): Finding[] => {
  const keys = valueAt(scenario, ['keys']);
  const keyNames = Array.isArray(keys)
    ? keys.map((entry: unknown, index) => ({
        path: ['keys', index, 'name'],
        name: valueAt(entry, ['name']),
      }))
    : [];
  const stageNames = loads.flatMap(({ path, name, compiled }) => {
    const at = [...path.slice(0, -1), 'name'];
    if (typeof name !== 'string' || compiled.length === 0) return [{ path: at, name }];
    return compiled.map(({ suffix }) => ({ path: at, name: `${name}${suffix}` }));
  });
  return [...doubled(keyNames, 'key'), ...doubled(stageNames, 'stage')];
};

const iterationsLast = (scenario: unknown): Finding[] => {
  const stages = valueAt(scenario, ['stages']);
  if (!Array.isArray(stages)) return [];
  return stages.flatMap((stage: unknown, index) =>
    index < stages.length - 1 && valueAt(stage, ['load', 'kind']) === 'iterations'
      ? [
          value(
            ['stages', index, 'load', 'kind'],
            'a load of the kind "iterations" can only be the last stage: nobody knows beforehand when it ends',
            'move the stage to the end, or use the kind "closed", which has a duration',
          ),
        ]
      : [],
  );
};

const unreadTraces = (loads: readonly PlacedLoad[], files: WorkloadFiles): Finding[] =>
  loads.flatMap(({ path, load }) => {
    if (load?.kind !== 'trace') return [];
    const found = files.trace(cutOf(load));
    return found.ok ? [] : [value([...path, 'file'], found.problem)];
  });

const extent = ({ path, compiled }: PlacedLoad): Finding[] => {
  if (compiled.length === 0) return [];
  const total = compiled.reduce((sum, { load }) => sum + (arrivalsOf(load) ?? 1), 0);
  if (total >= 1 - 1e-9) return [];
  return [
    value(
      path,
      `this load makes ${total === 0 ? 'no request at all' : `less than one request (${grouped(total)})`}`,
      'raise its rate or its duration',
    ),
  ];
};

const wholeExtent = (loads: readonly PlacedLoad[], warmUp: number | null): Finding[] => {
  if (loads.length === 0 || loads.some(({ compiled }) => compiled.length === 0)) return [];
  const compiled = loads.flatMap((placed) => placed.compiled.map(({ load }) => load));
  const path: Path = loads.length > 1 ? ['stages'] : (loads[0]?.path ?? []);
  const findings: Finding[] = [];
  const arrivals = compiled.reduce((sum, load) => sum + (arrivalsOf(load) ?? 0), 0);
  if (arrivals > mostArrivals) {
    const message = `the run would make ${grouped(arrivals)} requests; expected at most ${grouped(mostArrivals)}`;
    findings.push(key(path, message, 'lower a rate or a duration'));
  }
  const duration = milliseconds(compiled.reduce((sum, load) => sum + loadDuration(load), 0));
  if (duration > longest) {
    const message = `the run would last ${formatDuration(duration)}; expected at most ${formatDuration(longest)}`;
    findings.push(key(path, message));
  }
  if (warmUp !== null && warmUp > 0 && warmUp >= duration) {
    const message = `the warm-up leaves nothing to measure: the load lasts ${formatDuration(duration)}`;
    findings.push(value(['warmUp'], message, 'shorten the warm-up or lengthen the load'));
  }
  return findings;
};

/** Who asks again when answered, and how many of them. */
const askersOf = (load: ScenarioLoad): readonly ['users' | 'connections', number] | null => {
  if (load.kind === 'saturate') return ['connections', load.connections];
  return 'users' in load ? ['users', load.users] : null;
};

const askersInFlight = (loads: readonly PlacedLoad[], inFlight: number | null): Finding[] =>
  loads.flatMap(({ path, load }) => {
    const [who, many] = (load === null ? null : askersOf(load)) ?? ['users', 0];
    if (inFlight === null || many <= inFlight) return [];
    const message = `${grouped(many)} ${who} are more than may be in flight ("inFlight": ${grouped(inFlight)})`;
    return [value([...path, who], message, `lower the ${who} or raise "inFlight"`)];
  });

const retryInOrder = (scenario: unknown): Finding[] => {
  const retry = retrySchema.safeParse(valueAt(scenario, ['retry'])).data;
  if (retry === undefined) return [];
  const findings = doubled(
    retry.on.map((name, index) => ({ path: ['retry', 'on', index], name })),
    'retry',
  );
  if (retry.cap >= retry.base) return findings;
  const [cap, base] = [formatDuration(retry.cap), formatDuration(retry.base)];
  const message = `the longest wait ("cap": ${cap}) is shorter than the first ("base": ${base})`;
  return [...findings, key(['retry', 'cap'], message, 'raise "cap" or lower "base"')];
};

/** Everything in a scenario whose parts do not go together; fields that are faulty themselves are left alone. */
export const brokenRules = (scenario: unknown, files: WorkloadFiles): readonly Finding[] => {
  if (!isMapping(scenario)) return [];
  const { warmUp, inFlight } = scenarioSchema.shape;
  const loads = placedLoads(scenario, files);
  return [
    ...eitherLoadOrStages(scenario),
    ...trafficForEveryStage(scenario),
    ...namesThatDiffer(scenario, loads),
    ...iterationsLast(scenario),
    ...unreadTraces(loads, files),
    ...retryInOrder(scenario),
    ...brokenPace(scenario),
    ...besideSaturation(scenario),
    ...loads.flatMap((placed) => (placed.load === null ? [] : extent(placed))),
    ...wholeExtent(loads, warmUp.safeParse(scenario['warmUp']).data ?? null),
    ...askersInFlight(loads, inFlight.safeParse(scenario['inFlight']).data ?? null),
  ];
};
