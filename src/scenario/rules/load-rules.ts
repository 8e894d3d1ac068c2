import type { LimitsPerMinute } from '../../model/plan/limits-per-minute.ts';
import { arrivalCountOf, leastSteady, type Load, loadDuration } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import {
  askUnit,
  isDoubtful,
  type TraceFacts,
  type TraceSelection,
  unitNames,
} from '../../model/workload/trace.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { limitsOfKeys } from '../compile/key-limits.ts';
import { autoWarmUpOf } from '../compile/auto-warm-up.ts';
import { type CompiledLoad, compileLoad } from '../compile/compile-load.ts';
import { longestDuration } from '../schema/fields.ts';
import type { ScenarioLoad } from '../schema/load-schema.ts';
import { formatDuration } from '../schema/notation.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { pathKey } from '../text/scenario-tree.ts';
import {
  fieldHolders,
  type Findings,
  type PlacedStage,
  placedStages,
  type WholeScenario,
} from './placed-stages.ts';

/** The maximum number of requests of a run. The records of more requests would become too large. */
const maxArrivals = 10_000_000;

const groupDigits = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 3 });

/**
 * A stage with its load. `compiled` contains the loads of the plan that this load becomes, or none if the load is
 * faulty.
 */
interface LoadedStage extends PlacedStage {
  readonly compiled: readonly CompiledLoad[];
}

const loadedStages = (scenario: WholeScenario, files: WorkloadFiles): readonly LoadedStage[] =>
  placedStages(scenario)
    .filter(({ load, label }) => load.isPresent || label !== null || scenario.at('stages').isList)
    .map((stage) => {
      const load = stage.load.validValue;
      return { ...stage, compiled: load === undefined ? [] : compileLoad(load, files) };
    });

export function* duplicateNameFindings(
  what: string,
  named: readonly { readonly part: ScenarioPart<unknown>; readonly name: string | null }[],
): Findings {
  const seen = new Set<string>();
  for (const { part, name } of named) {
    if (name === null) continue;
    if (seen.has(name)) {
      yield part.valueFinding(`${what} names must differ; ${JSON.stringify(name)} is used twice`);
    }
    seen.add(name);
  }
}

const stageNames = ({ name, namePart: part, compiled }: LoadedStage) =>
  name === null || compiled.length === 0
    ? [{ part, name }]
    : compiled.map(({ suffix }) => ({ part, name: `${name}${suffix}` }));

function* iterationsLastFindings(scenario: WholeScenario): Findings {
  const message =
    'a load of the kind "iterations" must be the last stage, because nobody knows in advance when it ends';
  const hint = 'move the stage to the end, or use the kind "closed", which has a duration';
  const lists = fieldHolders(scenario).map((each) => each.at('stages'));
  for (const stage of lists.flatMap(({ items }) => items.slice(0, -1))) {
    const kind = stage.at('load').at('kind');
    if (kind.text === 'iterations') yield kind.valueFinding(message, hint);
  }
}

/**
 * Returns the kind and the number of callers of a load. A caller sends the next request as soon as the previous request
 * is answered.
 */
const concurrencyOf = (load: ScenarioLoad): readonly ['users' | 'connections', number] => {
  if (load.kind === 'saturate') return ['connections', load.connections];
  return ['users', 'users' in load ? load.users : 0];
};

/** The sums of the declared limits of all keys, per minute. */
interface LimitsTogether {
  readonly requests: number;
  readonly tokens: number;
}

/**
 * Returns the limits that a scenario itself declares, for all its keys together; `null` if the scenario declares no
 * limits.
 */
const declaredLimits = (scenario: WholeScenario): LimitsTogether | null => {
  const [part, keys] = [scenario.at('limits'), scenario.at('keys')];
  const [limits, valid] = [part.validValue, keys.validValue];
  const isDeclared = part.isPresent || keys.items.some((key) => key.at('limits').isPresent);
  if (!isDeclared || limits === undefined) return null;
  const of = limitsOfKeys({ limits, keys: valid });
  const each = of.keys ?? Array.from({ length: Math.max(1, keys.items.length) }, () => of);
  const all = (field: keyof LimitsPerMinute): number =>
    each.reduce((sum, key) => sum + (key[field] ?? Number.POSITIVE_INFINITY), 0);
  return { requests: all('requestsPerMinute'), tokens: all('tokensPerMinute') };
};

/** If a trace needs more than this multiple of the declared limits, its times were probably read in the wrong unit. */
const absurdFactor = 10;

/**
 * A trace with fewer requests than this is not judged by its rate, since so few requests may really come in a burst.
 */
const ratedRequests = 10;
const minute = 60_000;

/**
 * Finds a trace that needs more than ten times the declared limits, if the scenario does not name the unit of the
 * trace's times. A trace of at least ten requests that is shorter than a minute is judged by its rate.
 */
function* traceUnitFindings(
  part: ScenarioPart<ScenarioLoad | undefined>,
  { unit: given, speed }: Pick<TraceSelection, 'unit' | 'speed'>,
  { unit, busiestMinute, requests, duration }: TraceFacts,
  limits: LimitsTogether | null,
): Findings {
  if (given !== undefined || !isDoubtful(unit) || limits === null) return;
  const isRated = requests >= ratedRequests && duration < minute;
  const most =
    Math.max(busiestMinute.requests / limits.requests, busiestMinute.tokens / limits.tokens) *
    (isRated ? minute / Math.max(1, duration) : 1);
  if (most <= absurdFactor * Math.max(1, speed)) return;
  const what = isRated ? 'rate is' : 'busiest minute needs';
  const message = `its ${what} ${groupDigits(Math.round(most))} times the declared limits if its times are ${unitNames[unit]}`;
  yield part.at('file').valueFinding(message, askUnit);
}

interface StageSurroundings {
  readonly files: WorkloadFiles;
  readonly inFlight: number | undefined;
  readonly limits: LimitsTogether | null;
}

function* stageFindings(
  { load: part, compiled }: LoadedStage,
  { files, inFlight, limits }: StageSurroundings,
): Findings {
  const load = part.validValue;
  if (load === undefined) return;
  if (load.kind === 'trace') {
    const found = files.trace(load);
    if (!found.ok) yield part.at('file').valueFinding(found.problem);
    else yield* traceUnitFindings(part, load, found.value, limits);
  }
  const total = compiled.reduce((sum, each) => sum + (arrivalCountOf(each.load) ?? 1), 0);
  if (compiled.length > 0 && total < 1 - 1e-9) {
    const made =
      total === 0 ? 'no request at all' : `less than one request (${groupDigits(total)})`;
    yield part.valueFinding(`this load makes ${made}`, 'raise its rate or its duration');
  }
  const [field, concurrency] = concurrencyOf(load);
  if (inFlight !== undefined && concurrency > inFlight) {
    const message = `${groupDigits(concurrency)} ${field} are more than "inFlight" allows (${groupDigits(inFlight)})`;
    yield part.at(field).valueFinding(message, `lower the ${field} or raise "inFlight"`);
  }
}

/**
 * Finds reasons why a run cannot determine the end of its warm-up. A run can determine the end only under one load that
 * is constant for long enough.
 */
function* autoWarmUpFindings(warmUp: ScenarioPart<unknown>, loads: readonly Load[]): Findings {
  const instead = 'give the warm-up a duration';
  const found = autoWarmUpOf(loads);
  if (found === null) {
    const message =
      '"warmUp: auto" needs one load that stays the same or becomes constant: what changes with the load is no warm-up';
    yield warmUp.valueFinding(message, instead);
  } else if (loadDuration(loads[0]!) - found.earliest < leastSteady) {
    const message = `"warmUp: auto" needs at least ${formatDuration(milliseconds(leastSteady))} of constant load`;
    yield warmUp.valueFinding(message, `lengthen the load, or ${instead}`);
  }
}

/** Returns when the last population of a scenario ends, in ms since the start of the run. */
const longestPopulation = (scenario: WholeScenario, stages: readonly LoadedStage[]): number => {
  const { items } = scenario.at('populations');
  const starts = new Map(
    items.map((own) => [own.at('name').text, Number(own.at('after').validValue ?? 0)] as const),
  );
  const ends = Array.from(
    Map.groupBy(stages, ({ population }) => population),
    ([name, own]) =>
      own
        .flatMap(({ compiled }) => compiled)
        .reduce((sum, { load }) => sum + loadDuration(load), starts.get(name) ?? 0),
  );
  return Math.max(...ends);
};

function* runLengthFindings(scenario: WholeScenario, stages: readonly LoadedStage[]): Findings {
  const [first] = stages;
  if (first === undefined || stages.some(({ compiled }) => compiled.length === 0)) return;
  const loads = stages.flatMap(({ compiled }) => compiled.map(({ load }) => load));
  const populations = scenario.at('populations');
  const severalLoads = populations.isPresent ? populations : scenario.at('stages');
  const whole = stages.length > 1 ? severalLoads : first.load;
  const arrivals = loads.reduce((sum, load) => sum + (arrivalCountOf(load) ?? 0), 0);
  if (arrivals > maxArrivals) {
    const message = `the run would make ${groupDigits(arrivals)} requests; expected at most ${groupDigits(maxArrivals)}`;
    yield whole.keyFinding(message, 'lower a rate or a duration');
  }
  const duration = milliseconds(longestPopulation(scenario, stages));
  const shown = formatDuration(duration);
  if (duration > longestDuration) {
    const most = formatDuration(longestDuration);
    yield whole.keyFinding(`the run would last ${shown}; expected at most ${most}`);
  }
  const warmUp = scenario.at('warmUp');
  if (warmUp.validValue === 'auto') {
    if (!populations.isPresent) yield* autoWarmUpFindings(warmUp, loads);
  } else if (
    warmUp.validValue !== undefined &&
    warmUp.validValue > 0 &&
    warmUp.validValue >= duration
  ) {
    const message = `the warm-up leaves nothing to measure: the load lasts ${shown}`;
    yield warmUp.valueFinding(message, 'shorten the warm-up or lengthen the load');
  }
}

export function* loadRule(scenario: WholeScenario, files: WorkloadFiles): Findings {
  const stages = loadedStages(scenario, files);
  const inFlight = scenario.at('inFlight').validValue;
  const limits = declaredLimits(scenario);
  yield* duplicateNameFindings('stage', stages.flatMap(stageNames));
  yield* iterationsLastFindings(scenario);
  // Several populations can share a load. The problems of a shared load are reported only once.
  const once = new Map(stages.map((stage) => [pathKey(stage.load.path), stage]));
  for (const stage of once.values()) yield* stageFindings(stage, { files, inFlight, limits });
  yield* runLengthFindings(scenario, stages);
}
