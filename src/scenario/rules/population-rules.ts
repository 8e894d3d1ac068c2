import type { ScenarioPart } from '../text/scenario-part.ts';
import { pathKey } from '../text/scenario-tree.ts';
import { duplicateNameFindings } from './load-rules.ts';
import { keyNameAt } from '../compile/key-limits.ts';
import {
  fieldHolders,
  type Findings,
  placedPopulations,
  placedStages,
  type WholeScenario,
} from './placed-stages.ts';

/**
 * The fields that populations inherit from the scenario. A population's own load replaces the scenario's stages, and
 * its own stages replace the scenario's load.
 */
const inherited = [
  ['load', 'stages'],
  ['stages', 'load'],
  ['traffic'],
  ['keys'],
  ['retry'],
] as const;

/** Finds fields of the scenario that no population uses, since each population has its own value. */
function* unusedFindings(scenario: WholeScenario): Findings {
  const [, ...populations] = fieldHolders(scenario);
  for (const names of inherited) {
    const part: ScenarioPart<unknown> = scenario.at(names[0]);
    const isReplaced =
      names[0] === 'keys'
        ? placedPopulations(scenario).every(({ keys }) => pathKey(keys.path) !== pathKey(part.path))
        : populations.every((own) => names.some((name) => own.at(name).isPresent));
    if (!part.isPresent || !isReplaced) continue;
    const message = `no population uses this ${JSON.stringify(names[0])}: each has its own`;
    yield part.keyFinding(message, 'leave it out, or leave it out of a population');
  }
}

/**
 * Returns every list of keys with each target at which it is used. The list of the scenario itself also comes with the
 * target `null`.
 */
const keyLists = (scenario: WholeScenario) => {
  const lists = placedPopulations(scenario).map(({ keys, target }) => ({
    keys,
    target: target?.name ?? null,
  }));
  const all = [{ keys: scenario.at('keys'), target: null }, ...lists];
  return [
    ...new Map(all.map((each) => [JSON.stringify([each.keys.path, each.target]), each])).values(),
  ];
};

/**
 * Finds different keys with the same name. Two populations may use one name only for the same key, unless the
 * populations have different targets.
 */
function* keyNameFindings(scenario: WholeScenario): Findings {
  const templates = new Map<string, string | null>();
  for (const { keys, target } of keyLists(scenario)) {
    const own = new Map<string, string | null>();
    for (const key of keys.items) {
      const [part, template] = [key.at('name'), key.at('key').text];
      if (part.text === null) continue;
      const name = keyNameAt(part.text, target ?? '');
      if (templates.has(name) && templates.get(name) !== template) {
        const message = `two populations have different keys of the name ${JSON.stringify(part.text)}`;
        yield part.valueFinding(message, 'give each key its own name');
      } else if (templates.has(name) && key.at('limits').isPresent) {
        const message = `the limits of the key ${JSON.stringify(part.text)} stand where it is first named`;
        yield key.at('limits').keyFinding(message, 'leave them out here');
      }
      own.set(name, template);
    }
    for (const [name, template] of own) if (!templates.has(name)) templates.set(name, template);
  }
}

/** Returns the features that do not work with populations, each with the reason. */
const refused = (
  scenario: WholeScenario,
): readonly (readonly [part: ScenarioPart<unknown>, isUsed: boolean, why: string])[] => {
  const [warmUp, populations] = [scenario.at('warmUp'), scenario.at('populations')];
  const ownKeys = populations.items.some((own) => own.at('keys').isPresent);
  const [until, pace] = [scenario.at('until'), scenario.at('pace')];
  return [
    [
      until,
      until.isPresent,
      '"until" cannot end a run with populations: only a last load can be ended, and theirs run beside each other',
    ],
    [
      warmUp,
      warmUp.written === 'auto',
      '"warmUp: auto" cannot be combined with populations: it needs one load',
    ],
    [
      pace,
      pace.isPresent && ownKeys,
      '"pace" cannot be combined with populations that have keys of their own: it sends with whichever key is free',
    ],
  ];
};

function* userFindings(scenario: WholeScenario): Findings {
  const inFlight = scenario.at('inFlight').validValue;
  const most = new Map<string | null, number>();
  for (const { population, load } of placedStages(scenario)) {
    const { validValue } = load;
    const users = validValue !== undefined && 'users' in validValue ? validValue.users : 0;
    most.set(population, Math.max(users, most.get(population) ?? 0));
  }
  const all = [...most.values()].reduce((sum, users) => sum + users, 0);
  if (inFlight === undefined || most.size < 2 || all <= inFlight) return;
  const message = `${all} users of all populations are more than "inFlight" allows (${inFlight})`;
  yield scenario.at('populations').keyFinding(message, 'lower the users or raise "inFlight"');
}

/** Finds problems between populations, and features that do not work with populations. */
export function* populationRule(scenario: WholeScenario): Findings {
  const populations = scenario.at('populations');
  if (!populations.isPresent) return;
  const names = populations.items.map((own) => own.at('name'));
  yield* duplicateNameFindings(
    'population',
    names.map((part) => ({ part, name: part.text })),
  );
  yield* unusedFindings(scenario);
  yield* keyNameFindings(scenario);
  yield* userFindings(scenario);
  for (const [part, isUsed, why] of refused(scenario)) {
    if (isUsed) yield part.keyFinding(why, 'leave one of the two out');
  }
  const kinds = new Map(
    placedStages(scenario).map(({ load }) => [pathKey(load.path), load.at('kind')]),
  );
  for (const kind of kinds.values()) {
    if (kind.text !== 'saturate') continue;
    const message =
      'a load of the kind "saturate" cannot be combined with populations: it must be the only load of a run';
    yield kind.valueFinding(message, 'use the kind "closed"');
  }
}
