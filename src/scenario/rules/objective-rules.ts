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
import {
  keyNamesOf,
  suggestableModels,
  type TrafficTarget,
  trafficTargetsOf,
} from './traffic-targets.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { didYouMean } from '../text/spelling.ts';
import { isMapping, type Path, pathKey, valueAtPath } from '../text/scenario-tree.ts';

/** What is wrong with a scenario's objectives, found before anything is sent. */

/** An objective's text where it stands; `item` is the long form, if it is one. */
interface PlacedObjective {
  readonly text: string;
  readonly path: Path;
  readonly item: unknown;
}

const placedObjectives = (
  scenario: unknown,
  field: 'objectives' | 'perRequest',
): readonly PlacedObjective[] => {
  const list = valueAtPath(scenario, [field]);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index): PlacedObjective[] => {
    const path = [field, index];
    if (typeof item === 'string') return [{ text: item, path, item: null }];
    const text = valueAtPath(item, ['objective']);
    return typeof text === 'string' ? [{ text, path: [...path, 'objective'], item }] : [];
  });
};

type Label = ParsedObjective['labels'][number]['label'];

const labelOf = ({ labels }: ParsedObjective, label: Label): string | undefined =>
  labels.find((each) => each.label === label)?.parseSuccess;

interface ObjectiveContext {
  readonly targets: readonly TrafficTarget[];
  readonly keys: readonly unknown[];
  readonly environmentValues: ReadonlyMap<string, string>;
}

/** What each label can be in this scenario, and which of it may be proposed. */
const choicesOf = (
  label: Label,
  { targets, keys, environmentValues }: ObjectiveContext,
): { readonly known: readonly unknown[]; readonly shown: readonly string[] } => {
  const texts = (all: readonly unknown[]): string[] => [
    ...new Set(all.filter((each) => typeof each === 'string')),
  ];
  const plain = (known: readonly unknown[]) => ({ known, shown: texts(known) });
  switch (label) {
    case 'traffic':
      return plain(targets.map(({ kind }) => kind));
    case 'model':
      return {
        known: targets.map(({ model }) => model),
        shown: suggestableModels(targets, environmentValues),
      };
    case 'key':
      return plain(keys);
    case 'stage':
      return plain(targets.flatMap(({ stage, names }) => [stage, ...names]));
  }
};

const labelErrors = (
  parsedObjective: ParsedObjective,
  context: ObjectiveContext,
): ObjectiveError[] =>
  parsedObjective.labels.flatMap(({ label, parseSuccess }): ObjectiveError[] => {
    const { known, shown } = choicesOf(label, context);
    if (known.length === 0 || known.includes(parseSuccess)) return [];
    const listed = [...new Set(shown)].slice(0, 8).join(', ');
    return [
      {
        message: `no ${label} of this scenario is called ${JSON.stringify(parseSuccess)}`,
        hint: didYouMean(parseSuccess, shown) ?? (listed === '' ? null : `there is: ${listed}`),
      },
    ];
  });

/** Nothing will ever be measured for some combinations of sound labels. */
const emptyScopeErrors = (
  parsedObjective: ParsedObjective,
  { targets }: ObjectiveContext,
): ObjectiveError[] => {
  const [traffic, model, stage] = (['traffic', 'model', 'stage'] as const).map((label) =>
    labelOf(parsedObjective, label),
  );
  const kinds: readonly TrafficKind[] | null =
    parsedObjective.figure.kind === 'measure'
      ? measures[parsedObjective.figure.name].traffic
      : null;
  const matches = (target: TrafficTarget, alsoKind: boolean): boolean =>
    (traffic === undefined || target.kind === traffic) &&
    (model === undefined || target.model === model) &&
    (stage === undefined || target.stage === stage || target.names.includes(stage)) &&
    (!alsoKind || kinds === null || kinds.some((kind) => kind === target.kind));
  if (targets.length === 0 || targets.some((target) => matches(target, true))) return [];
  if (!targets.some((target) => matches(target, false))) {
    return [{ message: 'no request of this scenario has all of these labels', hint: null }];
  }
  const message = `"${parsedObjective.figure.name}" is measured of ${(kinds ?? []).join(', ')} only, and none of these requests is one`;
  return [{ message, hint: null }];
};

/** Rates are counted per second of the run, where few labels are kept apart. */
const rateErrors = ({ figure, labels }: ParsedObjective): ObjectiveError[] => {
  if (figure.kind !== 'rate') return [];
  const allowed: readonly Label[] = rates[figure.name].byTraffic ? ['stage', 'traffic'] : ['stage'];
  return labels
    .filter(({ label }) => !allowed.includes(label))
    .map(({ label }) => ({
      message: `"${figure.name}" cannot be told apart by ${label}`,
      hint: `of labels it takes ${allowed.join(' and ')}`,
    }));
};

const goodputErrors = ({ figure }: ParsedObjective, scenario: unknown): ObjectiveError[] => {
  const wanted = valueAtPath(scenario, ['perRequest']);
  return figure.name === 'goodput' && (!Array.isArray(wanted) || wanted.length === 0)
    ? [
        {
          message: '"goodput" is asked for, and nothing says what a good request is',
          hint: 'add for example perRequest: ["ttft < 500ms", "e2e < 5s"]',
        },
      ]
    : [];
};

const abortError = ({ figure, comparison }: ParsedObjective): string | null => {
  if (figure.kind === 'count' && isLowerBound(comparison)) {
    return 'a count that must be reached is not broken before the run is over';
  }
  return figure.kind === 'rate' && rates[figure.name].countsAtEnd === null
    ? `"${figure.name}" is known only when the run is over`
    : null;
};

/** What the long form's fields demand of the objective. */
const longFormFindings = (
  parsedObjective: ParsedObjective,
  { item, path }: PlacedObjective,
): ScenarioFinding[] => {
  const holder = path.slice(0, -1);
  const findings: ScenarioFinding[] = [];
  const addFinding = (field: string, message: string, hint: string): void => {
    if (isMapping(item) && item[field] !== undefined) {
      findings.push({ path: [...holder, field], part: 'key', message, hint });
    }
  };
  const cannotAbort = abortError(parsedObjective);
  if (cannotAbort !== null) addFinding('abort', cannotAbort, 'leave "abort" out');
  if (isMapping(item) && item['severity'] === 'warn') {
    addFinding('abort', 'an objective that only warns cannot end the run', 'keep one of the two');
  }
  if (parsedObjective.figure.kind === 'count' || parsedObjective.figure.kind === 'rate') {
    addFinding(
      'minSamples',
      `"${parsedObjective.figure.name}" has no samples`,
      'leave "minSamples" out',
    );
  }
  return findings;
};

/** A text that the environment gave is repeated to nobody. */
const withoutEnvironmentText = (
  { path }: PlacedObjective,
  { environmentValues }: ObjectiveContext,
  { message, hint }: ObjectiveError,
): ScenarioFinding => ({
  path,
  part: 'value',
  ...(environmentValues.has(pathKey(path))
    ? { message: 'what the environment variable holds is no sound objective here', hint: null }
    : { message, hint }),
});

const findingsOfList = (
  scenario: unknown,
  list: readonly PlacedObjective[],
  parse: (text: string) => ParseResult<ParsedObjective>,
  context: ObjectiveContext,
): ScenarioFinding[] =>
  list.flatMap((each, index) => {
    const parsed = parse(each.text);
    if (!parsed.ok) return [withoutEnvironmentText(each, context, parsed.parseError)];
    const isDuplicate = list.findIndex(({ text }) => text === each.text) < index;
    const duplicateError = {
      message: 'the same objective stands here again',
      hint: 'keep one of them',
    };
    const labelProblems = [
      ...rateErrors(parsed.parseSuccess),
      ...labelErrors(parsed.parseSuccess, context),
    ];
    const errors = [
      ...(isDuplicate ? [duplicateError] : []),
      ...goodputErrors(parsed.parseSuccess, scenario),
      ...(labelProblems.length > 0
        ? labelProblems
        : emptyScopeErrors(parsed.parseSuccess, context)),
    ];
    return [
      ...errors.map((found) => withoutEnvironmentText(each, context, found)),
      ...longFormFindings(parsed.parseSuccess, each),
    ];
  });

/** `filled` has what the environment gave, by `pathKey`. */
export const objectiveRuleFindings = (
  scenario: unknown,
  environmentValues: ReadonlyMap<string, string>,
): readonly ScenarioFinding[] => {
  const context = {
    targets: trafficTargetsOf(scenario),
    keys: keyNamesOf(scenario),
    environmentValues,
  };
  return [
    ...findingsOfList(scenario, placedObjectives(scenario, 'objectives'), parseObjective, context),
    ...findingsOfList(
      scenario,
      placedObjectives(scenario, 'perRequest'),
      parseRequestObjective,
      context,
    ),
  ];
};
