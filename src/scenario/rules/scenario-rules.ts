import {
  duplicateNameFindings,
  uniqueNameFindings,
  valueFinding,
  type PlacedLoad,
} from './name-rules.ts';
import { arrivalCountOf, loadDuration } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { compileLoad, traceCutOf, defaultStageName } from '../compile/compile-load.ts';
import { longestDuration } from '../schema/fields.ts';
import { scenarioLoadSchema, type ScenarioLoad } from '../schema/load-schema.ts';
import { formatDuration } from '../schema/notation.ts';
import { paceRuleFindings } from './pace-rules.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { saturateRuleFindings } from './saturate-rules.ts';
import { scenarioRetrySchema } from '../schema/retry-schema.ts';
import { scenarioSchema } from '../schema/scenario-schema.ts';
import { isMapping, type Path, valueAtPath } from '../text/scenario-tree.ts';

/**
 * What the parts of a scenario demand of one another. The rules look at whatever part is sound by
 * itself, so that their findings come together with those of the fields.
 */

/** More is not a test any more; it would also outgrow a run's bookkeeping. */
const maxArrivals = 10_000_000;

const grouped = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 3 });

const loadPlacer =
  (files: WorkloadFiles) =>
  (value: unknown, path: Path, name: unknown): PlacedLoad => {
    const load = scenarioLoadSchema.safeParse(value).data ?? null;
    return { path, name, load, compiled: load === null ? [] : compileLoad(load, files) };
  };

const placedLoads = (scenario: unknown, files: WorkloadFiles): readonly PlacedLoad[] => {
  const place = loadPlacer(files);
  const stages = valueAtPath(scenario, ['stages']);
  if (Array.isArray(stages)) {
    return stages.map((stage: unknown, index) =>
      place(valueAtPath(stage, ['load']), ['stages', index, 'load'], valueAtPath(stage, ['name'])),
    );
  }
  const load = valueAtPath(scenario, ['load']);
  return load === undefined ? [] : [place(load, ['load'], defaultStageName)];
};
const keyFinding = (path: Path, message: string, hint: string | null = null): ScenarioFinding => ({
  path,
  part: 'key',
  message,
  hint,
});

const loadOrStagesFindings = (scenario: unknown): ScenarioFinding[] => {
  const load = valueAtPath(scenario, ['load']) !== undefined;
  const stages = valueAtPath(scenario, ['stages']) !== undefined;
  if (load && stages) {
    return [keyFinding(['stages'], '"load" and "stages" stand side by side', 'keep one of them')];
  }
  return load || stages
    ? []
    : [
        keyFinding(
          ['load'],
          '"load" is missing: expected one load, or several named ones under "stages"',
          'for example load: {kind: constant, rate: 5/s, duration: 30s}',
        ),
      ];
};

const missingTrafficFindings = (scenario: unknown): ScenarioFinding[] => {
  if (valueAtPath(scenario, ['traffic']) !== undefined) return [];
  const stages = valueAtPath(scenario, ['stages']);
  const own =
    Array.isArray(stages) &&
    stages.every((stage: unknown) => valueAtPath(stage, ['traffic']) !== undefined);
  return own
    ? []
    : [
        keyFinding(
          ['traffic'],
          '"traffic" is missing: expected a list of what the requests ask for',
          'for example traffic: [{kind: chat-stream, model: NAME}]',
        ),
      ];
};

const iterationsLastFindings = (scenario: unknown): ScenarioFinding[] => {
  const stages = valueAtPath(scenario, ['stages']);
  if (!Array.isArray(stages)) return [];
  return stages.flatMap((stage: unknown, index) =>
    index < stages.length - 1 && valueAtPath(stage, ['load', 'kind']) === 'iterations'
      ? [
          valueFinding(
            ['stages', index, 'load', 'kind'],
            'a load of the kind "iterations" can only be the last stage: nobody knows beforehand when it ends',
            'move the stage to the end, or use the kind "closed", which has a duration',
          ),
        ]
      : [],
  );
};

const unreadableTraceFindings = (
  loads: readonly PlacedLoad[],
  files: WorkloadFiles,
): ScenarioFinding[] =>
  loads.flatMap(({ path, load }) => {
    if (load?.kind !== 'trace') return [];
    const found = files.trace(traceCutOf(load));
    return found.ok ? [] : [valueFinding([...path, 'file'], found.problem)];
  });

const emptyLoadFindings = ({ path, compiled }: PlacedLoad): ScenarioFinding[] => {
  if (compiled.length === 0) return [];
  const total = compiled.reduce((sum, { load }) => sum + (arrivalCountOf(load) ?? 1), 0);
  if (total >= 1 - 1e-9) return [];
  return [
    valueFinding(
      path,
      `this load makes ${total === 0 ? 'no request at all' : `less than one request (${grouped(total)})`}`,
      'raise its rate or its duration',
    ),
  ];
};

const runLengthFindings = (
  loads: readonly PlacedLoad[],
  warmUp: number | null,
): ScenarioFinding[] => {
  if (loads.length === 0 || loads.some(({ compiled }) => compiled.length === 0)) return [];
  const compiled = loads.flatMap((placed) => placed.compiled.map(({ load }) => load));
  const path: Path = loads.length > 1 ? ['stages'] : (loads[0]?.path ?? []);
  const findings: ScenarioFinding[] = [];
  const arrivals = compiled.reduce((sum, load) => sum + (arrivalCountOf(load) ?? 0), 0);
  if (arrivals > maxArrivals) {
    const message = `the run would make ${grouped(arrivals)} requests; expected at most ${grouped(maxArrivals)}`;
    findings.push(keyFinding(path, message, 'lower a rate or a duration'));
  }
  const duration = milliseconds(compiled.reduce((sum, load) => sum + loadDuration(load), 0));
  if (duration > longestDuration) {
    const message = `the run would last ${formatDuration(duration)}; expected at most ${formatDuration(longestDuration)}`;
    findings.push(keyFinding(path, message));
  }
  if (warmUp !== null && warmUp > 0 && warmUp >= duration) {
    const message = `the warm-up leaves nothing to measure: the load lasts ${formatDuration(duration)}`;
    findings.push(valueFinding(['warmUp'], message, 'shorten the warm-up or lengthen the load'));
  }
  return findings;
};

/** Who asks again when answered, and how many of them. */
const concurrencyOf = (load: ScenarioLoad): readonly ['users' | 'connections', number] | null => {
  if (load.kind === 'saturate') return ['connections', load.connections];
  return 'users' in load ? ['users', load.users] : null;
};

const concurrencyFindings = (
  loads: readonly PlacedLoad[],
  inFlight: number | null,
): ScenarioFinding[] =>
  loads.flatMap(({ path, load }) => {
    const [concurrencyField, concurrency] = (load === null ? null : concurrencyOf(load)) ?? [
      'users',
      0,
    ];
    if (inFlight === null || concurrency <= inFlight) return [];
    const message = `${grouped(concurrency)} ${concurrencyField} are more than may be in flight ("inFlight": ${grouped(inFlight)})`;
    return [
      valueFinding(
        [...path, concurrencyField],
        message,
        `lower the ${concurrencyField} or raise "inFlight"`,
      ),
    ];
  });

const retryFindings = (scenario: unknown): ScenarioFinding[] => {
  const retry = scenarioRetrySchema.safeParse(valueAtPath(scenario, ['retry'])).data;
  if (retry === undefined) return [];
  const findings = duplicateNameFindings(
    retry.on.map((name, index) => ({ path: ['retry', 'on', index], name })),
    'retry',
  );
  if (retry.cap >= retry.base) return findings;
  const [cap, base] = [formatDuration(retry.cap), formatDuration(retry.base)];
  const message = `the longest wait ("cap": ${cap}) is shorter than the first ("base": ${base})`;
  return [...findings, keyFinding(['retry', 'cap'], message, 'raise "cap" or lower "base"')];
};

/** Everything in a scenario whose parts do not go together; fields that are faulty themselves are left alone. */
export const crossFieldFindings = (
  scenario: unknown,
  files: WorkloadFiles,
): readonly ScenarioFinding[] => {
  if (!isMapping(scenario)) return [];
  const { warmUp, inFlight } = scenarioSchema.shape;
  const loads = placedLoads(scenario, files);
  return [
    ...loadOrStagesFindings(scenario),
    ...missingTrafficFindings(scenario),
    ...uniqueNameFindings(scenario, loads),
    ...iterationsLastFindings(scenario),
    ...unreadableTraceFindings(loads, files),
    ...retryFindings(scenario),
    ...paceRuleFindings(scenario),
    ...saturateRuleFindings(scenario),
    ...loads.flatMap((placed) => (placed.load === null ? [] : emptyLoadFindings(placed))),
    ...runLengthFindings(loads, warmUp.safeParse(scenario['warmUp']).data ?? null),
    ...concurrencyFindings(loads, inFlight.safeParse(scenario['inFlight']).data ?? null),
  ];
};
