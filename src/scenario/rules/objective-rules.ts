import { measures } from '../../model/measures/measures.ts';
import { isLowerBound } from '../../model/plan/objective.ts';
import { rates } from '../../model/measures/run-figures.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type ObjectiveError,
  type ParseResult,
  parseObjective,
  parseRequestObjective,
  type ParsedObjective,
} from '../compile/objective-grammar.ts';
import { defaultKeyName } from '../compile/compile.ts';
import { planStageNames } from '../compile/compile-load.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { didYouMean } from '../text/spelling.ts';
import { type Findings, placedStages, type Rule, type WholeScenario } from './placed-stages.ts';

/** What is wrong with a scenario's objectives, found before anything is sent. */

/** Requests of one traffic entry in one stage, as far as both are sound. */
interface TrafficTarget {
  /** The stage's name as it was written; `stageNames` are those that reports use: stairs have several. */
  readonly stage: string | null;
  readonly stageNames: readonly string[];
  readonly kind: string | null;
  readonly model: ScenarioPart<string | undefined>;
}

const trafficTargetsOf = (scenario: WholeScenario): readonly TrafficTarget[] =>
  placedStages(scenario).flatMap(({ name: stage, load: { sound: load }, entries }) => {
    const names = stage === null || load === undefined ? [stage] : planStageNames(stage, load);
    const stageNames = names.filter((name) => name !== null);
    return entries.map((entry) => ({
      stage,
      stageNames,
      kind: entry.at('kind').text,
      model: entry.at('model'),
    }));
  });

/** An objective's text where it stands; `holder` is the mapping around it, if there is one. */
interface PlacedObjective {
  readonly text: string;
  readonly part: ScenarioPart<unknown>;
  readonly holder: ScenarioPart<unknown> | null;
}

const placedObjectives = (list: ScenarioPart<readonly unknown[]>): readonly PlacedObjective[] =>
  list.items.flatMap((item): PlacedObjective[] => {
    const part = item.text === null ? item.at('objective') : item;
    const holder = item.text === null ? item : null;
    return part.text === null ? [] : [{ text: part.text, part, holder }];
  });

type Label = ParsedObjective['labels'][number]['label'];

interface ObjectiveContext {
  readonly scenario: WholeScenario;
  readonly targets: readonly TrafficTarget[];
}

/** The values that a label can have in this scenario. */
const choicesOf = (label: Label, { scenario, targets }: ObjectiveContext) => {
  const keys = scenario.at('keys');
  switch (label) {
    case 'traffic':
      return targets.map(({ kind }) => kind);
    case 'model':
      return targets.map(({ model }) => model.text);
    case 'key':
      return keys.isList ? keys.items.map((key) => key.at('name').text) : [defaultKeyName];
    case 'stage':
      return targets.flatMap(({ stage, stageNames }) => [stage, ...stageNames]);
  }
};

const labelErrors = ({ labels }: ParsedObjective, context: ObjectiveContext): ObjectiveError[] =>
  labels.flatMap(({ label, name }): ObjectiveError[] => {
    const known = choicesOf(label, context);
    if (known.length === 0 || known.includes(name)) return [];
    // A model from the environment may be a secret in the wrong place.
    const targets = context.targets.filter(({ model }) => !model.isFromEnvironment);
    const shown = label === 'model' ? choicesOf(label, { ...context, targets }) : known;
    const choices = [...new Set(shown.filter((choice) => choice !== null))];
    const listed = choices.slice(0, 8).join(', ');
    const message = `no ${label} of this scenario is called ${JSON.stringify(name)}`;
    const hint = didYouMean(name, choices) ?? (listed === '' ? null : `expected one of ${listed}`);
    return [{ message, hint }];
  });

/** Labels that are sound by themselves, but that no request has together. */
const emptyScopeErrors = (
  { figure, labels }: ParsedObjective,
  { targets }: ObjectiveContext,
): ObjectiveError[] => {
  const [traffic, model, stage] = ['traffic', 'model', 'stage'].map(
    (label) => labels.find((each) => each.label === label)?.name,
  );
  const kinds: readonly TrafficKind[] | null =
    figure.kind === 'measure' ? measures[figure.name].traffic : null;
  const matches = (target: TrafficTarget, alsoKind: boolean): boolean =>
    (traffic === undefined || target.kind === traffic) &&
    (model === undefined || target.model.text === model) &&
    (stage === undefined || target.stage === stage || target.stageNames.includes(stage)) &&
    (!alsoKind || kinds === null || kinds.some((kind) => kind === target.kind));
  if (targets.length === 0 || targets.some((target) => matches(target, true))) return [];
  if (!targets.some((target) => matches(target, false))) {
    return [{ message: 'no request of this scenario has all of these labels', hint: null }];
  }
  const message = `"${figure.name}" is measured for ${(kinds ?? []).join(', ')} only, and this objective covers no such request`;
  return [{ message, hint: null }];
};

/** Rates are counted per second of the run, which keeps few labels. */
const rateErrors = ({ figure, labels }: ParsedObjective): ObjectiveError[] => {
  if (figure.kind !== 'rate') return [];
  const allowed: readonly Label[] = rates[figure.name].byTraffic ? ['stage', 'traffic'] : ['stage'];
  return labels
    .filter(({ label }) => !allowed.includes(label))
    .map(({ label }) => ({
      message: `"${figure.name}" has no figures by ${label}`,
      hint: `use ${allowed.join(' or ')}`,
    }));
};

const missingPerRequest: ObjectiveError = {
  message: '"goodput" needs "perRequest", which says what a good request is',
  hint: 'add for example perRequest: ["ttft < 500ms", "e2e < 5s"]',
};

const duplicate = { message: 'this objective is a duplicate', hint: 'keep one of them' };

const abortError = ({ figure, comparison }: ParsedObjective): string | null => {
  if (figure.kind === 'count' && isLowerBound(comparison)) {
    return 'a minimum count cannot fail before the run ends';
  }
  return figure.kind === 'rate' && rates[figure.name].countsAtEnd === null
    ? `"${figure.name}" is known only when the run ends`
    : null;
};

/** What is wrong between an objective and the fields of the mapping around it. */
const longFormFindings = (objective: ParsedObjective, holder: ScenarioPart<unknown>): Findings => {
  const [abort, minSamples] = [holder.at('abort'), holder.at('minSamples')];
  const findings: ScenarioFinding[] = [];
  const cannotAbort = abortError(objective);
  if (cannotAbort !== null && abort.isPresent) {
    findings.push(abort.keyFinding(cannotAbort, 'leave "abort" out'));
  }
  if (holder.at('severity').text === 'warn' && abort.isPresent) {
    const message = 'an objective that only warns cannot end the run';
    findings.push(abort.keyFinding(message, 'keep one of the two'));
  }
  const { kind, name } = objective.figure;
  if ((kind === 'count' || kind === 'rate') && minSamples.isPresent) {
    findings.push(minSamples.keyFinding(`"${name}" has no samples`, 'leave "minSamples" out'));
  }
  return findings;
};

/** A text from the environment may be a secret, so no message repeats it. */
const findingAt = (
  part: ScenarioPart<unknown>,
  { message, hint }: ObjectiveError,
): ScenarioFinding =>
  part.isFromEnvironment
    ? part.valueFinding('the environment variable does not hold a valid objective')
    : part.valueFinding(message, hint);

const findingsOfList = (
  list: readonly PlacedObjective[],
  parse: (text: string) => ParseResult<ParsedObjective>,
  context: ObjectiveContext,
): Findings =>
  list.flatMap(({ text, part, holder }, index) => {
    const hasPerRequest = context.scenario.at('perRequest').items.length > 0;
    const parsed = parse(text);
    if (!parsed.ok) return [findingAt(part, parsed.error)];
    const objective = parsed.value;
    const isDuplicate = list.findIndex((other) => other.text === text) < index;
    const labelProblems = [...rateErrors(objective), ...labelErrors(objective, context)];
    const errors = [
      ...(isDuplicate ? [duplicate] : []),
      ...(objective.figure.name === 'goodput' && !hasPerRequest ? [missingPerRequest] : []),
      ...(labelProblems.length > 0 ? labelProblems : emptyScopeErrors(objective, context)),
    ];
    return [
      ...errors.map((error) => findingAt(part, error)),
      ...(holder === null ? [] : longFormFindings(objective, holder)),
    ];
  });

export const objectiveRule: Rule = (scenario) => {
  const context = { scenario, targets: trafficTargetsOf(scenario) };
  const objectives = placedObjectives(scenario.at('objectives'));
  const perRequest = placedObjectives(scenario.at('perRequest'));
  return [
    ...findingsOfList(objectives, parseObjective, context),
    ...findingsOfList(perRequest, parseRequestObjective, context),
  ];
};
