import { arrivalCountOf, loadDuration } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { type CompiledLoad, compileLoad } from '../compile/compile-load.ts';
import { longestDuration } from '../schema/fields.ts';
import type { ScenarioLoad } from '../schema/load-schema.ts';
import { formatDuration } from '../schema/notation.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import {
  type Findings,
  type PlacedStage,
  placedStages,
  type Rule,
  type WholeScenario,
} from './placed-stages.ts';

/** More requests than this are no longer a test, and would outgrow a run's records. */
const maxArrivals = 10_000_000;

const grouped = (n: number): string => n.toLocaleString('en-US', { maximumFractionDigits: 3 });

/** A stage whose load is present, and what its load compiles to: nothing while it is faulty. */
interface LoadedStage extends PlacedStage {
  readonly compiled: readonly CompiledLoad[];
}

const loadedStages = (scenario: WholeScenario, files: WorkloadFiles): readonly LoadedStage[] =>
  placedStages(scenario)
    .filter(({ load }) => load.isPresent || scenario.at('stages').isList)
    .map((stage) => {
      const load = stage.load.sound;
      return { ...stage, compiled: load === undefined ? [] : compileLoad(load, files) };
    });

/** A finding at each name that occurs above it already; `names` are the texts of the parts unless given. */
export const duplicateNameFindings = (
  parts: readonly ScenarioPart<unknown>[],
  what: string,
  names: readonly (string | null)[] = parts.map(({ text }) => text),
): Findings =>
  parts.flatMap((part, index) => {
    const name = names[index] ?? null;
    const message = `${what} names must differ; ${JSON.stringify(name)} is used twice`;
    return name !== null && names.indexOf(name) < index ? [part.valueFinding(message)] : [];
  });

const stageNameFindings = (stages: readonly LoadedStage[]): Findings => {
  const named = stages.flatMap(({ name, namePart: part, compiled }) =>
    name === null || compiled.length === 0
      ? [{ part, name }]
      : compiled.map(({ suffix }) => ({ part, name: `${name}${suffix}` })),
  );
  const names = named.map(({ name }) => name);
  return duplicateNameFindings(
    named.map(({ part }) => part),
    'stage',
    names,
  );
};

const iterationsLastFindings = (scenario: WholeScenario): Findings => {
  const message =
    'a load of the kind "iterations" must be the last stage, because nobody knows in advance when it ends';
  const hint = 'move the stage to the end, or use the kind "closed", which has a duration';
  const before = scenario.at('stages').items.slice(0, -1);
  return before
    .map((stage) => stage.at('load').at('kind'))
    .filter((kind) => kind.text === 'iterations')
    .map((kind) => kind.valueFinding(message, hint));
};

const traceFindings = ({ load }: LoadedStage, files: WorkloadFiles): Findings => {
  if (load.sound?.kind !== 'trace') return [];
  const found = files.trace(load.sound);
  return found.ok ? [] : [load.at('file').valueFinding(found.problem)];
};

const emptyLoadFindings = ({ load, compiled }: LoadedStage): Findings => {
  const total = compiled.reduce((sum, each) => sum + (arrivalCountOf(each.load) ?? 1), 0);
  if (compiled.length === 0 || total >= 1 - 1e-9) return [];
  const made = total === 0 ? 'no request at all' : `less than one request (${grouped(total)})`;
  return [load.valueFinding(`this load makes ${made}`, 'raise its rate or its duration')];
};

const runLengthFindings = (scenario: WholeScenario, stages: readonly LoadedStage[]): Findings => {
  const [first] = stages;
  if (first === undefined || stages.some(({ compiled }) => compiled.length === 0)) return [];
  const loads = stages.flatMap(({ compiled }) => compiled.map(({ load }) => load));
  const whole = stages.length > 1 ? scenario.at('stages') : first.load;
  const findings: ScenarioFinding[] = [];
  const arrivals = loads.reduce((sum, load) => sum + (arrivalCountOf(load) ?? 0), 0);
  if (arrivals > maxArrivals) {
    const message = `the run would make ${grouped(arrivals)} requests; expected at most ${grouped(maxArrivals)}`;
    findings.push(whole.keyFinding(message, 'lower a rate or a duration'));
  }
  const duration = milliseconds(loads.reduce((sum, load) => sum + loadDuration(load), 0));
  if (duration > longestDuration) {
    const message = `the run would last ${formatDuration(duration)}; expected at most ${formatDuration(longestDuration)}`;
    findings.push(whole.keyFinding(message));
  }
  const warmUp = scenario.at('warmUp');
  if (warmUp.sound !== undefined && warmUp.sound > 0 && warmUp.sound >= duration) {
    const message = `the warm-up leaves nothing to measure: the load lasts ${formatDuration(duration)}`;
    findings.push(warmUp.valueFinding(message, 'shorten the warm-up or lengthen the load'));
  }
  return findings;
};

/** The callers that ask again when answered, and how many there are. */
const concurrencyOf = (load: ScenarioLoad): readonly ['users' | 'connections', number] | null => {
  if (load.kind === 'saturate') return ['connections', load.connections];
  return 'users' in load ? ['users', load.users] : null;
};

const concurrencyFindings = ({ load }: LoadedStage, inFlight: number | undefined): Findings => {
  const [field, concurrency] = (load.sound && concurrencyOf(load.sound)) ?? ['users', 0];
  if (inFlight === undefined || concurrency <= inFlight) return [];
  const message = `${grouped(concurrency)} ${field} are more than "inFlight" allows (${grouped(inFlight)})`;
  return [load.at(field).valueFinding(message, `lower the ${field} or raise "inFlight"`)];
};

/** What is wrong with the loads of a scenario: each by itself, one beside the other, and all together. */
export const loadRule: Rule = (scenario, files) => {
  const stages = loadedStages(scenario, files);
  const inFlight = scenario.at('inFlight').sound;
  return [
    ...stageNameFindings(stages),
    ...iterationsLastFindings(scenario),
    ...stages.flatMap((stage) => [
      ...traceFindings(stage, files),
      ...emptyLoadFindings(stage),
      ...concurrencyFindings(stage, inFlight),
    ]),
    ...runLengthFindings(scenario, stages),
  ];
};
