import { defaultKeyTemplate } from '../compile/compile.ts';
import { limitsWith } from '../compile/key-limits.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { didYouMean } from '../text/spelling.ts';
import {
  addressOf,
  type Findings,
  placedPopulations,
  type PlacedTarget,
  placedTargets,
  type WholeScenario,
} from './placed-stages.ts';

function* nameFindings(scenario: WholeScenario): Findings {
  const targets = scenario.at('targets');
  const { names } = targets;
  for (const name of names) {
    if (/^[\p{L}\p{N}_.-]{1,60}$/u.test(name)) continue;
    const message = `${JSON.stringify(name)} is no name of a target: expected up to 60 letters, digits and the signs . _ -`;
    yield targets.at(name).keyFinding(message);
  }
  if (names.length > 20) yield targets.keyFinding('expected at most 20 targets');
  if (names.length === 0 && targets.isPresent)
    yield targets.keyFinding('expected at least one target', 'for example {direct: mock}');
}

/** Finds populations without a target, and targets without a population. */
function* useFindings(scenario: WholeScenario): Findings {
  const [targets, populations] = [scenario.at('targets'), scenario.at('populations')];
  const example = `populations: [{name: …, target: ${targets.names[0] ?? 'direct'}}]`;
  if (!populations.isPresent) {
    const message = 'populations name their targets, and this scenario has no populations';
    yield targets.keyFinding(message, `add ${example}, or use "target"`);
    return;
  }
  for (const own of populations.items) {
    const [part, name] = [own.at('target'), own.at('target').text];
    if (!part.isPresent) {
      const message = `"target" is missing: expected one of ${targets.names.join(', ')}`;
      yield part.keyFinding(message, 'each population names its target');
    } else if (name !== null && !targets.names.includes(name)) {
      const message = `no target of this scenario is called ${JSON.stringify(name)}`;
      const known = `expected one of ${targets.names.join(', ')}`;
      yield part.valueFinding(message, didYouMean(name, targets.names) ?? known);
    }
  }
  const used = new Set(populations.items.map((own) => own.at('target').text));
  // A population that names an unknown target probably means one of the unused targets, so these are not reported.
  if ([...used].some((name) => name !== null && !targets.names.includes(name))) return;
  for (const name of targets.names) {
    if (used.has(name)) continue;
    const message = `no population names the target ${JSON.stringify(name)}`;
    yield targets.at(name).keyFinding(message, 'leave it out, or name it in a population');
  }
}

const inherited = ['auth', 'headers', 'wire', 'endpoints'] as const;

/** Finds fields of the scenario that no target uses, and keys of a target that no population of this target uses. */
function* unusedFindings(scenario: WholeScenario): Findings {
  const targets = placedTargets(scenario);
  for (const name of inherited) {
    const part: ScenarioPart<unknown> = scenario.at(name);
    if (!part.isPresent || !targets.every(({ own }) => own.at(name).isPresent)) continue;
    const message = `no target uses this ${JSON.stringify(name)}: each has its own`;
    yield part.keyFinding(message, 'leave it out, or leave it out of a target');
  }
  const populations = placedPopulations(scenario);
  for (const { name, own } of targets) {
    const ofTarget = populations.filter(({ target }) => target?.name === name);
    const isReplaced = ofTarget.every((each) => each.own.at('keys').isPresent);
    if (!own.at('keys').isPresent || ofTarget.length === 0 || !isReplaced) continue;
    const message = 'no population uses these keys: each has its own';
    yield own.at('keys').keyFinding(message, 'leave them out, or leave them out of a population');
  }
}

const templatesOf = ({ keys }: ReturnType<typeof placedPopulations>[number]): readonly string[] =>
  keys.isList
    ? keys.items.flatMap((key) => key.at('key').text ?? [])
    : [keys.text ?? defaultKeyTemplate];

/**
 * Finds two targets with the same address that share a key with limits. The server would count the requests to both
 * targets together, but reports would count them separately.
 */
function* sharedKeyFindings(scenario: WholeScenario): Findings {
  const limits = scenario.at('limits').validValue;
  const populations = placedPopulations(scenario);
  const keysAt = ({ name }: PlacedTarget): readonly string[] =>
    populations.filter(({ target }) => target?.name === name).flatMap(templatesOf);
  const known: PlacedTarget[] = [];
  for (const target of placedTargets(scenario)) {
    const address = addressOf(target);
    const twin = known.find((each) => address !== null && addressOf(each) === address);
    known.push(target);
    if (twin === undefined || limits === undefined) continue;
    const own = scenario.at('targets').at(target.name!).at('limits').validValue;
    const { requestsPerMinute, tokensPerMinute } = limitsWith(limits, own ?? {});
    const isLimited = (requestsPerMinute ?? tokensPerMinute) !== null;
    const isShared = keysAt(target).some((key) => keysAt(twin).includes(key));
    if (!isLimited || !isShared) continue;
    const message = `the targets ${JSON.stringify(twin.name)} and ${JSON.stringify(target.name)} have the same address and a key in common, whose limits would be counted twice`;
    const hint =
      'give them different keys, name one target in both populations, or say limits: none';
    yield target.url.valueFinding(message, hint);
  }
}

/** Finds features that do not work with named targets. */
function* refusedFindings(scenario: WholeScenario): Findings {
  const [target, names] = [scenario.at('target'), scenario.at('targets').names];
  if (target.isPresent) {
    const message = target.isFromFlag
      ? `this scenario has its targets by name (${names.join(', ')}), so one address cannot take their place`
      : '"target" cannot be combined with "targets", which populations name';
    const change = `change the address of one, for example --set targets.${names[0] ?? 'direct'}=https://host/v1`;
    yield target.keyFinding(message, target.isFromFlag ? change : 'leave "target" out');
  }
  const refused = [
    [scenario.at('pace'), '"pace" sends with whichever key is free, and keys of targets differ'],
    [scenario.at('server'), '"server" reads the metrics of one server, and targets are several'],
  ] as const;
  for (const [part, why] of refused)
    if (part.isPresent) yield part.keyFinding(why, 'leave one of the two out');
}

/** Finds problems with named targets, and features that do not work with named targets. */
export function* targetRule(scenario: WholeScenario): Findings {
  if (!scenario.at('targets').isPresent) {
    for (const own of scenario.at('populations').items) {
      if (!own.at('target').isPresent) continue;
      const message = 'this scenario names no targets';
      yield own.at('target').keyFinding(message, 'add targets: {NAME: ADDRESS}, or leave it out');
    }
    return;
  }
  yield* nameFindings(scenario);
  yield* useFindings(scenario);
  yield* unusedFindings(scenario);
  yield* sharedKeyFindings(scenario);
  yield* refusedFindings(scenario);
}
