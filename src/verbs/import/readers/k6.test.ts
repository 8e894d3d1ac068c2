import { expect, it } from 'vitest';
import { importText, recognise } from './import-source.ts';
import { noteLine } from './imported.ts';
import type { VegetaAttack } from './vegeta.ts';

const noAttack: VegetaAttack = {
  rate: undefined,
  duration: undefined,
  bodies: new Map(),
  canWriteFiles: false,
};
const imported = (options: object, isAdded = false) =>
  importText('k6', JSON.stringify(options), noAttack, isAdded);

const scenarioOf = (options: object): Readonly<Record<string, unknown>> => {
  const made = imported(options);
  return made.kind === 'scenario' ? made.scenario : {};
};

/** The notes on a load, without that on the requests, which every load has. */
const notesOf = (options: object): readonly string[] =>
  imported(options)
    .notes.map(noteLine)
    .filter((line) => !line.includes(' requests: '));

const constant = { executor: 'constant-vus', vus: 2, duration: '1m' };
const ramping = (stages: readonly (readonly [target: number, duration: string])[], more = {}) => ({
  scenarios: {
    a: {
      executor: 'ramping-vus',
      stages: stages.map(([target, duration]) => ({ target, duration })),
      ...more,
    },
  },
});
const closed = (users: number, duration: string, more = {}) => ({
  kind: 'closed',
  users,
  duration,
  ...more,
});

it.each([
  ['vus and a duration', { vus: 3, duration: '30s' }, { load: closed(3, '30s') }],
  [
    'iterations',
    { vus: 3, iterations: 9, duration: '5s' },
    { load: { kind: 'iterations', users: 3, iterations: 9, maxDuration: '5s' } },
  ],
  [
    'stages',
    { stages: [{ target: 8, duration: '5s' }] },
    { load: closed(8, '5s', { rampUp: '5s' }) },
  ],
  ['a lone scenario', { scenarios: { a: constant } }, { load: closed(2, '1m') }],
  [
    'a lone scenario that starts later',
    { scenarios: { a: { ...constant, startTime: '1m30s' } } },
    { populations: [{ name: 'a', after: '1m30s', load: closed(2, '1m') }] },
  ],
  ['a duration in ms', { vus: 1, duration: 1500 }, { load: closed(1, '1s500ms') }],
])('%s of k6 make a load', (_, options, expected) => {
  expect(recognise(JSON.stringify(options))).toBe('k6');
  expect(scenarioOf(options)).toMatchObject(expected);
  expect(notesOf(options)).toEqual([]);
});

it.each([
  [
    'a change of many users',
    ramping([[30, '4s']], { startVUs: 10 }),
    'users that go from 10 to 30 in 4s: 20 stay',
  ],
  ['a pause', ramping([[0, '4s']], { startVUs: 0 }), 'users that go from 0 to 0 in 4s: 1 stay'],
  [
    'a function',
    { scenarios: { a: { ...constant, exec: 'f' } } },
    'scenario a, exec: write the requests',
  ],
  [
    'an environment',
    { scenarios: { a: { ...constant, env: { B: 'c' } } } },
    'scenario a, env: a population',
  ],
  [
    'another stop',
    { scenarios: { a: { ...constant, gracefulStop: '1s' } } },
    'gracefulStop: Weir waits',
  ],
  [
    'an executor of others',
    { scenarios: { a: constant, b: { executor: 'externally-controlled' } } },
    'scenario b: Weir has no load like "externally-controlled"',
  ],
  [
    'the name of a property',
    { scenarios: { a: constant, b: { executor: 'constructor' } } },
    'scenario b: Weir has no load like "constructor"',
  ],
  [
    'a number in place of a scenario',
    { scenarios: { a: constant, b: 1e300 } },
    'scenario b: Weir has no load like ""',
  ],
  [
    'no duration',
    { scenarios: { a: constant, b: { executor: 'constant-vus' } } },
    'scenario b: expected a duration as "duration"',
  ],
  [
    'no unit',
    {
      scenarios: {
        a: constant,
        b: { executor: 'constant-arrival-rate', rate: 1, duration: '1s', timeUnit: '0s' },
      },
    },
    'scenario b: expected a length of time as "timeUnit"',
  ],
  [
    'a cap of the rate',
    { vus: 1, duration: '1s', rps: 5, noConnectionReuse: true },
    'rps, noConnectionReuse: these options',
  ],
])('%s has no equal and gets a line', (_, options, expected) => {
  expect(notesOf(options)).toEqual([expect.stringMatching(/^Left out/)]);
  expect(notesOf(options)[0]).toContain(expected);
});

it('names once per scenario that no VUs cap an open load', () => {
  const open = { executor: 'constant-arrival-rate', rate: 2, duration: '9s' };
  const options = { scenarios: { a: { ...open, preAllocatedVUs: 3, maxVUs: 9 } } };
  expect(scenarioOf(options)).toMatchObject({
    load: { kind: 'constant', rate: '2/s', duration: '9s' },
  });
  expect(notesOf(options)).toEqual([expect.stringContaining('Chosen      scenario a, maxVUs: ')]);
});

it('judges a threshold of a scenario on its population, but no rate', () => {
  const thresholds = {
    'http_req_duration{scenario:a}': ['p(95)<9'],
    'http_req_failed{ scenario: b }': ['rate<0.1'],
    'http_reqs{scenario:a}': ['rate>1'],
    'http_req_waiting{scenario:c}': ['avg<1'],
  };
  const options = { scenarios: { a: constant, b: constant }, thresholds };
  expect(scenarioOf(options)['objectives']).toEqual([
    'serviceTime.p95{population=a} < 9ms',
    'errorRate{population=b} < 10%',
  ]);
  expect(notesOf(options)).toEqual([
    expect.stringContaining('http_reqs{scenario:a} rate>1: a rate is that of the whole run'),
    expect.stringContaining('http_req_waiting{scenario:c} avg<1: write the label itself'),
  ]);
});

it('adds only thresholds to a scenario, and says so', () => {
  const options = { vus: 1, duration: '1s', thresholds: { http_req_failed: ['rate<0.1'] } };
  expect(imported(options, true)).toMatchObject({
    kind: 'objectives',
    objectives: ['errorRate < 10%'],
    notes: [
      { place: 'vus, duration', message: '--into takes only thresholds: write "load" for it' },
    ],
  });
});

it('says of a script how its options become JSON', () => {
  const script = "import http from 'k6/http';\nexport const options = { vus: 1 };\n";
  expect(recognise(script)).toBe('k6');
  expect(() => importText('k6', script, noAttack)).toThrow('what k6 inspect prints of a script');
});
