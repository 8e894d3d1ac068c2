import { measures } from '../../model/measures/measures.ts';
import { chatKinds } from '../../model/measures/outcome-counts.ts';
import { isLowerBound } from '../../model/plan/objective.ts';
import { rates } from '../../model/measures/run-figures.ts';
import { serverFigureNames } from '../../model/measures/server-figures.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type LabelName,
  ObjectiveError,
  type ParseResult,
  parseObjective,
  parseRequestObjective,
  type ParsedObjective,
  withPopulation,
  withQuota,
} from '../compile/objective-grammar.ts';
import { defaultKeyName } from '../compile/compile.ts';
import { planStageNames } from '../compile/compile-load.ts';
import { keyNameAt, limitsOfKeys } from '../compile/key-limits.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { didYouMean } from '../text/spelling.ts';
import {
  fieldHolders,
  type Findings,
  placedPopulations,
  placedStages,
  type WholeScenario,
} from './placed-stages.ts';

/** This file finds problems with a scenario's objectives before anything is sent. */

/** The requests of one traffic entry in one stage. An invalid field of the entry or the stage is `null` or absent. */
interface TrafficTarget {
  /** The name of the stage in the scenario, and its names in reports. A stair load has several names in reports. */
  readonly stages: readonly (string | null)[];
  readonly population: string | null;
  readonly target: string | null;
  readonly kind: string | null;
  readonly model: ScenarioPart<string | undefined>;
}

const trafficTargetsOf = (scenario: WholeScenario): readonly TrafficTarget[] =>
  placedStages(scenario).flatMap(
    ({ population, target, label, name, load: { validValue: load }, entries }) => {
      const planned = name === null || load === undefined ? [] : planStageNames(name, load);
      return entries.map((entry) => ({
        stages: [label, name, ...planned],
        population,
        target,
        kind: entry.at('kind').text,
        model: entry.at('model'),
      }));
    },
  );

interface ObjectiveContext {
  readonly scenario: WholeScenario;
  readonly targets: readonly TrafficTarget[];
}

const choicesOf = (label: LabelName, { scenario, targets }: ObjectiveContext) => {
  switch (label) {
    case 'traffic':
      return targets.map(({ kind }) => kind);
    case 'model':
      return targets.map(({ model }) => model.text);
    case 'key':
      return placedPopulations(scenario).flatMap(({ name, own, keys, target }) => {
        const lone = own.at('keys').isPresent ? name : null;
        const names = keys.isList
          ? keys.items.map((key) => key.at('name').text)
          : [lone ?? defaultKeyName];
        const at = target?.name ?? null;
        const whole = names.flatMap((key) =>
          key === null || at === null ? [] : keyNameAt(key, at),
        );
        return [...whole, ...names];
      });
    case 'stage':
      return targets.flatMap(({ stages }) => stages.filter((stage) => stage !== null));
    case 'population':
      return targets.map(({ population }) => population);
    case 'target':
      return targets.map(({ target }) => target);
  }
};

type Errors = Generator<ObjectiveError, void>;

/** Finds an objective that names a key without the key's target although the key is used at several targets. */
function* ambiguousKeyErrors(
  name: string,
  labels: ParsedObjective['labels'],
  known: readonly (string | null)[],
): Errors {
  const start = keyNameAt(name, '');
  const whole = [...new Set(known.filter((key) => key?.startsWith(start) === true))];
  if (whole.length < 2 || labels.some(({ label }) => label === 'target')) return;
  const message = `the key ${JSON.stringify(name)} is used at several targets, each with limits of its own`;
  yield new ObjectiveError(message, `write ${whole.map((key) => `key=${key}`).join(' or ')}`);
}

function* labelErrors({ labels }: ParsedObjective, context: ObjectiveContext): Errors {
  for (const { label, name } of labels) {
    const known = choicesOf(label, context);
    if (label === 'population' && !context.scenario.at('populations').isPresent) {
      yield new ObjectiveError('this scenario has no populations', 'leave the label out');
      continue;
    }
    if (label === 'target' && !context.scenario.at('targets').isPresent) {
      yield new ObjectiveError('this scenario has no targets by name', 'leave the label out');
      continue;
    }
    if (label === 'key') yield* ambiguousKeyErrors(name, labels, known);
    if (known.length === 0 || known.includes(name)) continue;
    // The name of a model from the environment may be a secret in the wrong place. So no message lists such a name.
    const targets = context.targets.filter(({ model }) => !model.isFromEnvironment);
    const shown = label === 'model' ? choicesOf(label, { ...context, targets }) : known;
    const choices = [...new Set(shown.filter((choice) => choice !== null))];
    const listed =
      choices.length === 0 ? null : `expected one of ${choices.slice(0, 8).join(', ')}`;
    const message = `no ${label} of this scenario is called ${JSON.stringify(name)}`;
    yield new ObjectiveError(message, didYouMean(name, choices) ?? listed);
  }
}

/** Returns the kinds of traffic for which a figure exists; `null` if it exists for all kinds. */
const kindsOf = (figure: ParsedObjective['figure']): readonly TrafficKind[] | null => {
  if (figure.kind === 'measure') return measures[figure.name].traffic;
  const isOfChats =
    figure.kind === 'token-share' || (figure.kind === 'share' && figure.name === 'finish');
  return isOfChats ? chatKinds : null;
};

/** Finds combinations of valid labels that no request has. */
function* emptyScopeErrors(
  { figure, labels }: ParsedObjective,
  { targets }: ObjectiveContext,
): Errors {
  const wanted = Object.fromEntries(labels.map(({ label, name }) => [label, name]));
  const matching = targets.filter(
    ({ kind, model, stages, population, target }) =>
      kind === (wanted['traffic'] ?? kind) &&
      model.text === (wanted['model'] ?? model.text) &&
      population === (wanted['population'] ?? population) &&
      target === (wanted['target'] ?? target) &&
      (wanted['stage'] === undefined || stages.includes(wanted['stage'])),
  );
  if (targets.length > 0 && matching.length === 0) {
    yield new ObjectiveError('no request of this scenario has all of these labels');
  }
  const kinds = kindsOf(figure);
  if (matching.length === 0 || kinds === null) return;
  if (matching.some((target) => kinds.some((kind) => kind === target.kind))) return;
  yield new ObjectiveError(
    `"${figure.name}" is measured for ${kinds.join(', ')} only, and this objective covers no such request`,
  );
}

/**
 * Returns whether a label selects populations. The labels of stages and of targets also select populations, since each
 * stage and each target belongs to certain populations.
 */
const isOfPopulation = ({ label }: { readonly label: LabelName }): boolean =>
  label === 'population' || label === 'stage' || label === 'target';

/** Finds labels that a rate cannot have. Rates come from counts by second, which exist only for a few labels. */
function* rateErrors({ figure, labels }: ParsedObjective, { scenario }: ObjectiveContext): Errors {
  if (figure.kind !== 'rate') return;
  if (scenario.at('populations').isPresent && labels.some(isOfPopulation)) {
    const message = `"${figure.name}" is counted for the whole run: it has no figures by population`;
    yield new ObjectiveError(message, 'use a count such as completed, or leave the label out');
    return;
  }
  const allowed = rates[figure.name].byTraffic ? ['stage', 'traffic'] : ['stage'];
  for (const { label } of labels) {
    const message = `"${figure.name}" has no figures by ${label}`;
    if (!allowed.includes(label)) yield new ObjectiveError(message, `use ${allowed.join(' or ')}`);
  }
}

/**
 * Finds problems with objectives on the server's own figures. These figures exist only if the scenario reads them, and
 * cannot be restricted to a part of the requests.
 */
function* serverErrors(
  { figure, labels }: ParsedObjective,
  { scenario }: ObjectiveContext,
): Errors {
  if (figure.kind !== 'server') return;
  const server = scenario.at('server');
  if (!server.isPresent) {
    yield new ObjectiveError(
      'the scenario reads no metrics of the server',
      'add server: {metrics: /metrics}',
    );
    return;
  }
  const own = (server.validValue?.figures ?? []).map(({ name }) => name);
  const known = [...serverFigureNames, ...own];
  if (!known.includes(figure.name)) {
    const message = `${JSON.stringify(figure.name)} is none of the server’s figures: expected ${known.join(', ')}`;
    yield new ObjectiveError(message, didYouMean(figure.name, known));
  }
  for (const { label } of labels) {
    if (label !== 'stage')
      yield new ObjectiveError(`a server has no figures by ${label}`, 'use stage');
  }
}

/**
 * Finds objectives with `quota` in a scenario without a declared limit. Without a declared limit, nothing can explain a
 * 429.
 */
function* quotaErrors({ quota, labels }: ParsedObjective, { scenario }: ObjectiveContext): Errors {
  if (quota === undefined) return;
  if (scenario.at('populations').isPresent && labels.some(isOfPopulation)) {
    const message = 'quota=excluded has no figures by population: limits are of keys';
    yield new ObjectiveError(message, 'use key, or leave the label out');
  }
  const limits = scenario.at('limits').validValue;
  const holders = fieldHolders(scenario);
  const each = holders.flatMap((holder) => {
    const declared = limits && limitsOfKeys({ limits, keys: holder.at('keys').validValue });
    return declared === undefined ? [] : (declared.keys ?? [declared]);
  });
  const hasNone = each.every(
    ({ requestsPerMinute, tokensPerMinute }) => (requestsPerMinute ?? tokensPerMinute) === null,
  );
  if (each.length > 0 && hasNone) {
    const message = 'quota=excluded leaves out 429s that a limit explains, and none is declared';
    yield new ObjectiveError(message, 'add for example limits: {requestsPerMinute: 60}');
  }
  if (holders.some((holder) => holder.at('retry').isPresent)) {
    const message = 'quota=excluded cannot be combined with "retry": each try is judged by itself';
    yield new ObjectiveError(message, 'keep one of the two');
  }
}

const abortProblem = ({ figure, comparison, quota }: ParsedObjective): string | null => {
  if (quota !== undefined) return 'which 429s a limit explains is judged when the run ends';
  if (figure.kind === 'count' && isLowerBound(comparison)) {
    return 'a minimum count cannot fail before the run ends';
  }
  if (figure.kind === 'server') return 'the server’s figures are judged when the run ends';
  if (figure.kind === 'token-share') return 'cached tokens are judged when the run ends';
  return figure.kind === 'rate' && rates[figure.name].countsAtEnd === null
    ? `"${figure.name}" is known only when the run ends`
    : null;
};

function* longFormFindings(objective: ParsedObjective, holder: ScenarioPart<unknown>): Findings {
  const [abort, minSamples] = [holder.at('abort'), holder.at('minSamples')];
  const cannotAbort = abortProblem(objective);
  if (cannotAbort !== null && abort.isPresent) {
    yield abort.keyFinding(cannotAbort, 'leave "abort" out');
  }
  if (holder.at('severity').text === 'warn' && abort.isPresent) {
    const message = 'an objective that only warns cannot end the run';
    yield abort.keyFinding(message, 'keep one of the two');
  }
  const { kind, name } = objective.figure;
  if ((kind === 'count' || kind === 'rate') && minSamples.isPresent) {
    yield minSamples.keyFinding(`"${name}" has no samples`, 'leave "minSamples" out');
  }
}

function* objectiveErrors(objective: ParsedObjective, context: ObjectiveContext): Errors {
  const hasPerRequest = context.scenario.at('perRequest').items.length > 0;
  if (objective.figure.kind === 'share' && objective.figure.name === 'goodput' && !hasPerRequest) {
    const message = '"goodput" needs "perRequest", which says what a good request is';
    yield new ObjectiveError(message, 'add for example perRequest: ["ttft < 500ms", "e2e < 5s"]');
  }
  yield* quotaErrors(objective, context);
  const labels = [
    ...rateErrors(objective, context),
    ...serverErrors(objective, context),
    ...labelErrors(objective, context),
  ];
  yield* labels.length > 0 ? labels : emptyScopeErrors(objective, context);
}

function* findingsOfList(
  list: ScenarioPart<readonly unknown[]>,
  parse: (text: string) => ParseResult<ParsedObjective>,
  context: ObjectiveContext,
): Findings {
  const seen = new Set<string>();
  for (const item of list.items) {
    const part = item.text === null ? item.at('objective') : item;
    if (part.text === null) continue;
    const text = item.at('quota').isPresent ? withQuota(part.text) : part.text;
    const parsed = parse(text);
    const errors = parsed.ok ? [...objectiveErrors(parsed.value, context)] : [parsed.error];
    if (parsed.ok && seen.has(text)) {
      errors.unshift(new ObjectiveError('this objective is a duplicate', 'keep one of them'));
    }
    seen.add(text);
    for (const { message, hint } of errors) {
      // A text from the environment may be a secret, so no message repeats the text.
      yield part.isFromEnvironment
        ? part.valueFinding('the environment variable does not hold a valid objective')
        : part.valueFinding(message, hint);
    }
    if (parsed.ok && part !== item) yield* longFormFindings(parsed.value, item);
  }
}

/** Parses an objective of a population, and adds the label of the population to the objective. */
const parseOwnObjective = (text: string, population: string): ParseResult<ParsedObjective> => {
  const written = parseObjective(text);
  if (!written.ok || written.value.labels.every(({ label }) => label !== 'population'))
    return parseObjective(withPopulation(text, population));
  const message = `this objective is of the population ${JSON.stringify(population)} already`;
  return { ok: false, error: new ObjectiveError(message, 'leave the label "population" out') };
};

export function* objectiveRule(scenario: WholeScenario): Findings {
  const targets = trafficTargetsOf(scenario);
  const context = { scenario, targets };
  for (const own of scenario.at('populations').items) {
    const name = own.at('name').text;
    const ofOwn = { scenario, targets: targets.filter(({ population }) => population === name) };
    const parse = (text: string) => parseOwnObjective(text, name ?? '');
    yield* findingsOfList(own.at('objectives'), parse, ofOwn);
  }
  yield* findingsOfList(scenario.at('objectives'), parseObjective, context);
  yield* findingsOfList(scenario.at('perRequest'), parseRequestObjective, context);
}
