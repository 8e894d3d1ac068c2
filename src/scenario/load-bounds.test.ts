import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';

/** Values on both sides of each bound. `problems.test.ts` and others have the messages of every kind of error. */

const models = 'traffic: [{kind: models}]\n';
const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
/** The messages about a scenario, without their places. */
const messagesOf = (text: string): readonly string[] => {
  const reading = readScenario({ text, name: 'f', environment: {} });
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
};
const whole = (range: string, got: number): string =>
  `expected a whole number from ${range}, got the number ${got}`;

describe('a load', () => {
  const shape = 'expected a number from 0.01 to 1000, got the number';

  it.each<[string, string[]]>([
    ['kind: closed, users: 100001, duration: 1s', [whole('1 to 100,000', 100_001)]],
    ['kind: closed, users: 0, duration: 5s', [whole('1 to 100,000', 0)]],
    ['kind: closed, users: 1, duration: 5s, rampUp: 5s', []],
    [
      'kind: closed, users: 1, duration: 5s, rampUp: 5001ms',
      ['expected a ramp-up that is no longer than "duration", got "5001ms"'],
    ],
    ['kind: iterations, users: 3, iterations: 3', []],
    [
      'kind: iterations, users: 4, iterations: 3',
      ['expected at most as many users as iterations (3), got the number 4'],
    ],
    ['kind: iterations, iterations: 0', [whole('1 to 10,000,000', 0)]],
    ['kind: iterations, users: 4, iterations: 0', [whole('1 to 10,000,000', 0)]],
    ['kind: iterations, iterations: 10000000', []],
    ['kind: iterations, iterations: 10000001', [whole('1 to 10,000,000', 10_000_001)]],
    ['kind: saturate, connections: 0, duration: 1s', [whole('1 to 10,000', 0)]],
    ['kind: saturate, connections: 10001, duration: 1s', [whole('1 to 10,000', 10_001)]],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 0.01', []],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 0.009', [`${shape} 0.009`]],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 1000', []],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 1001', [`${shape} 1001`]],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 1000', []],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 1001', [whole('1 to 1,000', 1001)]],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 0', [whole('1 to 1,000', 0)]],
    ['kind: ramping, steps: [{to: 0/s, over: 5s}]', ['this load makes no request at all']],
    ['kind: ramping, steps: [{to: 5/s, over: 0s}]', ['this load makes no request at all']],
    ['kind: ramping, steps: [{to: 9/s, over: 5s}]', []],
    ['kind: ramping, steps: []', ['expected at least one step']],
    [
      'kind: constant, rate: 1/s, duration: 999ms',
      ['this load makes less than one request (0.999)'],
    ],
    ['kind: constant, rate: 1/s, duration: 1s', []],
    [
      'kind: constant, rate: 0/s, duration: 1s',
      ['expected a rate above 0/s and at most 1000000/s, got "0/s"'],
    ],
    ['kind: constant, rate: 1000/s, duration: 10000s', []],
    [
      'kind: constant, rate: 1000/s, duration: 10001s',
      ['the run would make 10,001,000 requests; expected at most 10,000,000'],
    ],
    ['kind: constant, rate: 1/min, duration: 7d', []],
  ])('of {%s} has the problems %j', (text, problems) => {
    expect(messagesOf(`${models}load: {${text}}\n`)).toEqual(problems);
  });

  it.each(['kind: closed, users: 3', 'kind: saturate, connections: 3'])(
    'of {%s} is accepted if three requests may be in flight',
    (text) => {
      expect(messagesOf(`${models}load: {${text}, duration: 5s}\ninFlight: 3\n`)).toEqual([]);
    },
  );
});

describe('another bound', () => {
  it.each<[string, string[]]>([
    ['budget: {requests: 1}', []],
    ['budget: {requests: 1000000001}', [whole('1 to 1,000,000,000', 1_000_000_001)]],
    ['budget: {tokens: 1000000000000}', []],
    ['budget: {tokens: 1000000000001}', [whole('1 to 1,000,000,000,000', 1_000_000_000_001)]],
    ['budget: {cost: 0.000001}', []],
    ['caps: {events: 100000000}', []],
    ['caps: {events: 100000001}', [whole('1 to 100,000,000', 100_000_001)]],
    ['retry: {attempts: 100}', []],
    ['retry: {attempts: 101}', [whole('1 to 100', 101)]],
    ['retry: {base: 0s}', ['expected a length of time above 0s and at most 7d, got "0s"']],
    ['deadlines: {total: none, connect: none}', []],
    [
      'pace: {requests: 1/min, tokens: none, window: 59s}',
      ['at this rate a window of 59s has no room for even one of the requests'],
    ],
    ['pace: {requests: 1/min, tokens: none, window: 60s}', []],
  ])('%s has the problems %j', (text, problems) => {
    expect(messagesOf(`${models}${load}${text}\n`)).toEqual(problems);
  });
});

it('retries without fields have defaults', () => {
  const reading = readScenario({
    text: `${models}${load}retry: {}\n`,
    name: 'f',
    environment: {},
  });
  expect(reading.ok && reading.plan.retry).toEqual({
    attempts: 3,
    base: 500,
    cap: 30_000,
    on: ['limited', 'server-error', 'connect'],
  });
});
