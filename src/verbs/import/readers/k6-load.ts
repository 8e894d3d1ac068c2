import { perSecond } from '../../../model/quantity.ts';
import { formatRate } from '../../../scenario/schema/notation.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { durationText } from './bench-scenario.ts';
import { goDuration } from './go-duration.ts';
import { givenFields, ImportError, type Notes } from './imported.ts';

/**
 * This file makes populations from the scenarios in k6's options. Each population gets the load of its scenario's
 * executor.
 */

type Tree = Readonly<Record<string, unknown>>;

/** The fields of one of k6's scenarios. A field with `null` counts as absent, since `k6 inspect` writes all fields. */
class Fields {
  readonly place: string;
  readonly fields: Tree;
  constructor(place: string, fields: Tree) {
    this.place = place;
    this.fields = givenFields(fields);
  }

  number(name: string, absent?: number): number {
    const value = this.fields[name] ?? absent;
    if (typeof value === 'number' && value >= 0 && value < Infinity) return value;
    throw new ImportError(`expected a number as "${name}"`);
  }

  /** Returns a duration in seconds. k6 writes a duration in Go's notation or as a number of ms. */
  seconds(name: string, absent?: string): number {
    const value = this.fields[name] ?? absent;
    const length = typeof value === 'string' ? goDuration(value) : value;
    if (typeof length === 'number' && length >= 0 && length < Infinity) return length / 1000;
    throw new ImportError(`expected a duration as "${name}"`);
  }

  get stages(): readonly (readonly [target: number, seconds: number])[] {
    const { stages } = this.fields;
    if (!Array.isArray(stages)) throw new ImportError('expected a list as "stages"');
    return stages.map((each: unknown) => {
      const stage = new Fields(this.place, isMapping(each) ? each : {});
      return [stage.number('target'), stage.seconds('duration', '0s')];
    });
  }
}

const rateText = (fields: Fields, rate: number): string => {
  const unit = fields.seconds('timeUnit', '1s');
  if (unit === 0) throw new ImportError('expected a length of time as "timeUnit"');
  return formatRate(perSecond(rate / unit));
};

const users = (fields: Fields): number => fields.number('vus', 1);

const maxDuration = (fields: Fields): string => durationText(fields.seconds('maxDuration', '10m'));

interface Ramp {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

const rampsOf = (fields: Fields): readonly Ramp[] => {
  let from = fields.number('startVUs', 1);
  return fields.stages.flatMap(([to, seconds]) => {
    const ramp = { from, to, seconds };
    from = to;
    return seconds === 0 ? [] : ramp;
  });
};

/**
 * Returns closed loads for a changing number of users. Users that come one by one from the beginning are a ramp-up. Any
 * other change becomes a stage with the mean number of users.
 */
const closedLoads = (fields: Fields, notes: Notes): readonly Tree[] => {
  const ramps = rampsOf(fields);
  const loads: Tree[] = [];
  for (let i = 0; i < ramps.length; i += 1) {
    const { from, to, seconds } = ramps[i]!;
    const isRampUp = i === 0 && from <= 1 && to > from;
    const [next] = ramps.slice(i + 1);
    const kept = isRampUp && next?.to === to ? next.seconds : 0;
    if (kept > 0) i += 1;
    const mean = Math.max(1, Math.round(isRampUp ? to : (from + to) / 2));
    if (!isRampUp && (from !== to || to === 0)) {
      notes.left(
        fields.place,
        `users that go from ${from} to ${to} in ${durationText(seconds)}: ${mean} stay for this time`,
      );
    }
    const rampUp = isRampUp && to > 1 ? { rampUp: durationText(seconds) } : {};
    loads.push({ kind: 'closed', users: mean, duration: durationText(seconds + kept), ...rampUp });
  }
  return loads;
};

/** The loads of k6's executors, by their names. */
const executors: Readonly<Record<string, (fields: Fields, notes: Notes) => readonly Tree[]>> = {
  'constant-vus': (fields) => [
    { kind: 'closed', users: users(fields), duration: durationText(fields.seconds('duration')) },
  ],
  'ramping-vus': closedLoads,
  'constant-arrival-rate': (fields) => [
    {
      kind: 'constant',
      rate: rateText(fields, fields.number('rate')),
      duration: durationText(fields.seconds('duration')),
    },
  ],
  'ramping-arrival-rate': (fields) => [
    {
      kind: 'ramping',
      from: rateText(fields, fields.number('startRate', 0)),
      steps: fields.stages.map(([target, seconds]) => ({
        to: rateText(fields, target),
        over: durationText(seconds),
      })),
    },
  ],
  'shared-iterations': (fields) => [
    {
      kind: 'iterations',
      users: users(fields),
      iterations: fields.number('iterations', 1),
      maxDuration: maxDuration(fields),
    },
  ],
  'per-vu-iterations': (fields, notes) => {
    const each = fields.number('iterations', 1);
    if (users(fields) > 1)
      notes.chosen(fields.place, `users share the work: a quick one sends more than ${each}`);
    return [
      {
        kind: 'iterations',
        users: users(fields),
        iterations: users(fields) * each,
        maxDuration: maxDuration(fields),
      },
    ];
  },
};

const noCap =
  'an open load waits for nobody: what k6 drops when its VUs are busy is sent ("inFlight" caps the run)';

/** The fields of a k6 scenario that a population does not take over. */
const otherFields: readonly (readonly [field: string, kind: 'left' | 'chosen', text: string])[] = [
  ['exec', 'left', 'write the requests of this function as "traffic" of the population'],
  ['env', 'left', 'a population has no environment of its own'],
  ['options', 'left', 'Weir has no browser'],
  ['gracefulStop', 'left', 'Weir waits "grace" for the last answers of the whole run'],
  ['gracefulRampDown', 'left', 'users end with their load'],
  ['maxVUs', 'chosen', noCap],
  ['preAllocatedVUs', 'chosen', noCap],
  ['tags', 'chosen', 'the name of the population is its label'],
];

const noteFields = ({ place, fields }: Fields, notes: Notes): void => {
  const seen = new Set<string>();
  for (const [field, kind, text] of otherFields) {
    const value = fields[field];
    const isUsual =
      value === undefined || value === '30s' || (field === 'exec' && value === 'default');
    if (!isUsual && !seen.has(text)) notes[kind](`${place}, ${field}`, text);
    if (!isUsual) seen.add(text);
  }
};

/** Returns k6's scenarios by name. Without scenarios, k6's short options make one scenario. */
const scenariosOf = (options: Tree): Tree => {
  const { scenarios, vus, duration, iterations, stages } = givenFields(options);
  if (isMapping(scenarios)) return scenarios;
  if (Array.isArray(stages))
    return { stages: { executor: 'ramping-vus', startVUs: vus ?? 1, stages } };
  if (iterations !== undefined)
    return {
      iterations: { executor: 'shared-iterations', vus, iterations, maxDuration: duration },
    };
  if (duration !== undefined) return { duration: { executor: 'constant-vus', vus, duration } };
  return {};
};

const populationOf = (name: string, given: unknown, notes: Notes): Tree | null => {
  const fields = new Fields(`scenario ${name}`, isMapping(given) ? given : {});
  const { executor: wanted } = fields.fields;
  const executor = typeof wanted === 'string' ? wanted : '';
  try {
    const loadsOf = Object.hasOwn(executors, executor) ? executors[executor] : undefined;
    const loads = loadsOf?.(fields, notes);
    if (loads === undefined) throw new ImportError(`Weir has no load like "${executor}"`);
    if (loads.length === 0) throw new ImportError('its stages take no time');
    const after = fields.seconds('startTime', '0s');
    noteFields(fields, notes);
    return {
      name,
      ...(after > 0 ? { after: durationText(after) } : {}),
      ...(loads.length === 1
        ? { load: loads[0] }
        : { stages: loads.map((load, i) => ({ name: `part ${i + 1}`, load })) }),
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    notes.left(fields.place, error.message);
    return null;
  }
};

/**
 * Returns the load or the populations that k6's scenarios become. A single scenario that starts at once becomes a load.
 * Otherwise each scenario becomes a population.
 */
export const k6Load = (options: Tree, notes: Notes): Tree | null => {
  const populations = Object.entries(scenariosOf(options)).flatMap(
    ([name, given]) => populationOf(name, given, notes) ?? [],
  );
  if (populations.length === 0) return null;
  const [{ name: _, ...only }, ...others] = populations as [Tree, ...Tree[]];
  return others.length === 0 && !('after' in only) ? only : { populations };
};
