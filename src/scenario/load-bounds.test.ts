import { describe, expect, it } from 'vitest';
import { readScenario } from './read-scenario.ts';

const models = 'traffic: [{kind: models}]\n';
const load = 'load: {kind: constant, rate: 5/s, duration: 30s}\n';
/** The messages about a scenario, without their places. */
const messagesOf = (text: string): readonly string[] => {
  const reading = readScenario({ text, name: 'f', environment: {} });
  return reading.ok ? [] : reading.problems.map(({ message }) => message);
};
const ofLoad = (text: string) => messagesOf(`${models}load: {${text}}\n`);
const ofField = (text: string) => messagesOf(`${models}${load}${text}\n`);

describe('a load', () => {
  it.each([
    ['kind: closed, users: 100001, duration: 1s', 1],
    ['kind: closed, users: 1, duration: 5s, rampUp: 5s', 0],
    ['kind: closed, users: 1, duration: 5s, rampUp: 5001ms', 1],
    ['kind: closed, users: 0, duration: 5s', 1],
    ['kind: iterations, users: 3, iterations: 3', 0],
    ['kind: iterations, users: 4, iterations: 3', 1],
    ['kind: iterations, iterations: 0', 2],
    ['kind: iterations, iterations: 10000000', 0],
    ['kind: iterations, iterations: 10000001', 1],
    ['kind: saturate, connections: 0, duration: 1s', 1],
    ['kind: saturate, connections: 10001, duration: 1s', 1],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 0.01', 0],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 0.009', 1],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 1000', 0],
    ['kind: gamma, rate: 1/s, duration: 5s, shape: 1001', 1],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 1000', 0],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 1001', 1],
    ['kind: stairs, from: 1/s, step: 1/s, every: 1s, steps: 0', 1],
    ['kind: ramping, steps: [{to: 0/s, over: 5s}]', 1],
    ['kind: ramping, steps: [{to: 9/s, over: 5s}]', 0],
    ['kind: ramping, steps: []', 1],
    ['kind: constant, rate: 1/s, duration: 999ms', 1],
    ['kind: constant, rate: 1/s, duration: 1s', 0],
    ['kind: constant, rate: 0/s, duration: 1s', 1],
    ['kind: constant, rate: 1000/s, duration: 10000s', 0],
    ['kind: constant, rate: 1000/s, duration: 10001s', 1],
    ['kind: constant, rate: 1/min, duration: 7d', 0],
  ])('of {%s} has %i problems', (text, count) => {
    expect(ofLoad(text)).toHaveLength(count);
  });

  it('that makes no whole request, or too many, says how many', () => {
    expect(ofLoad('kind: constant, rate: 1/s, duration: 250ms')).toEqual([
      'this load makes less than one request (0.25)',
    ]);
    expect(ofLoad('kind: ramping, steps: [{to: 5/s, over: 0s}]')).toEqual([
      'this load makes no request at all',
    ]);
    expect(ofLoad('kind: constant, rate: 1000/s, duration: 10001s')).toEqual([
      'the run would make 10,001,000 requests; expected at most 10,000,000',
    ]);
  });

  it('has no more users or connections than may be in flight', () => {
    const users = 'kind: closed, users: 3, duration: 5s';
    expect(messagesOf(`${models}load: {${users}}\ninFlight: 3\n`)).toEqual([]);
    expect(messagesOf(`${models}load: {${users}}\ninFlight: 2\n`)).toEqual([
      '3 users are more than "inFlight" allows (2)',
    ]);
    const flat = 'kind: saturate, connections: 3, duration: 5s';
    expect(messagesOf(`${models}load: {${flat}}\ninFlight: 2\n`)[0]).toBe(
      '3 connections are more than "inFlight" allows (2)',
    );
  });

  it('is longer than its warm-up, and long enough for one that is found', () => {
    expect(ofField('warmUp: 29999ms')).toEqual([]);
    expect(ofField('warmUp: 30s')).toEqual([
      'the warm-up leaves nothing to measure: the load lasts 30s',
    ]);
    expect(ofField('warmUp: auto')).toEqual([]);
    const short = 'load: {kind: constant, rate: 5/s, duration: 19s}\nwarmUp: auto\n';
    expect(messagesOf(models + short)).toEqual([
      '"warmUp: auto" needs at least 20s of constant load',
    ]);
    const ramp = 'load: {kind: ramping, steps: [{to: 5/s, over: 60s}]}\nwarmUp: auto\n';
    expect(messagesOf(models + ramp)).toEqual([
      '"warmUp: auto" needs one load that stays the same or becomes constant: what changes with the load is no warm-up',
    ]);
  });
});

describe('a stage', () => {
  const constant = '{kind: constant, rate: 5/s, duration: 30s}';
  const stages = (...all: readonly string[]) =>
    messagesOf(`${models}stages:\n${all.map((each) => `  - {${each}}\n`).join('')}`);

  it('has a unique name, also for each of its stairs', () => {
    expect(stages(`name: a, load: ${constant}`, `name: b, load: ${constant}`)).toEqual([]);
    expect(stages(`name: a, load: ${constant}`, `name: a, load: ${constant}`)).toEqual([
      'stage names must differ; "a" is used twice',
    ]);
    const stairs = '{kind: stairs, from: 1/s, step: 1/s, every: 5s, steps: 2}';
    expect(stages(`name: a, load: ${stairs}`, `name: a 2/s, load: ${constant}`)).toEqual([
      'stage names must differ; "a 2/s" is used twice',
    ]);
  });

  it('that ends with answers is the last', () => {
    const shared = '{kind: iterations, iterations: 5}';
    expect(stages(`name: a, load: ${constant}`, `name: b, load: ${shared}`)).toEqual([]);
    expect(stages(`name: a, load: ${shared}`, `name: b, load: ${constant}`)).toEqual([
      'a load of the kind "iterations" must be the last stage, because nobody knows in advance when it ends',
    ]);
  });
});

describe('a bound', () => {
  it.each([
    ['budget: {requests: 1}', 0],
    ['budget: {requests: 0}', 1],
    ['budget: {requests: 1000000001}', 1],
    ['budget: {tokens: 1000000000000}', 0],
    ['budget: {tokens: 1000000000001}', 1],
    ['budget: {cost: 0}', 1],
    ['budget: {cost: 0.000001}', 0],
    ['caps: {events: 0}', 1],
    ['caps: {events: 100000000}', 0],
    ['caps: {events: 100000001}', 1],
    ['retry: {attempts: 100}', 0],
    ['retry: {attempts: 101}', 1],
    ['retry: {attempts: 0}', 1],
    ['retry: {on: []}', 1],
    ['retry: {on: [unanswered]}', 0],
    ['retry: {base: 0s}', 1],
    ['deadlines: {total: none, connect: none}', 0],
  ])('%s has %i problems', (text, count) => {
    expect(ofField(text)).toHaveLength(count);
  });

  it('that is not given has a default', () => {
    const reading = readScenario({
      text: `${models}${load}retry: {}\n`,
      name: 'f',
      environment: {},
    });
    expect(reading.ok && reading.plan).toMatchObject({
      deadlines: { connect: 10_000, firstToken: 60_000, idle: 60_000, total: 600_000 },
      caps: { bytes: 64 * 1_048_576, events: 500_000 },
      retry: { attempts: 3, base: 500, cap: 30_000, on: ['limited', 'server-error', 'connect'] },
    });
  });
});

describe('"until: decided"', () => {
  const sure = 'objectives: ["errorRate < 1%"]\n';
  const decided = `until: decided\n${sure}`;

  it('needs an objective that can become sure, and no quota that is excluded', () => {
    expect(ofField(decided.trim())).toEqual([]);
    expect(ofField('until: decided\nobjectives: ["limited <= 5"]')).toEqual([
      '"until: decided" needs an objective that can become sure: on a percentile, a mean, a share or a rate',
    ]);
    expect(ofField('until: decided\nobjectives: ["errorRate{quota=excluded} < 1%"]')).toContain(
      '"until: decided" cannot wait for an objective with quota=excluded: which 429s a limit explains is judged when the run ends',
    );
    expect(ofField('atMost: 5m')).toContain('"atMost" needs "until: decided"');
  });

  it('cannot end a load whose end is part of it', () => {
    expect(messagesOf(`${models}load: {kind: iterations, iterations: 5}\n${decided}`)).toContain(
      '"until: decided" cannot end a load of the kind "iterations", whose end is part of it',
    );
  });
});

describe('a pace', () => {
  it('has a limit to keep, with room for one, and rates for what it spreads', () => {
    expect(ofField('pace: {requests: 60/min, tokens: none}')).toEqual([]);
    expect(ofField('pace: {requests: none, tokens: none}')).toEqual([
      'the pace has no limit to keep',
    ]);
    expect(ofField('pace: {requests: 1/min, tokens: none, window: 59s}')).toEqual([
      'at this rate a window of 59s has no room for even one of the requests',
    ]);
    expect(ofField('pace: {requests: 1/min, tokens: none, window: 60s}')).toEqual([]);
    expect(ofField('pace: {requests: none, tokens: 500/min, burst: 2}')).toEqual([
      '"burst" spreads requests at their rate, and "requests" has none',
    ]);
  });

  it('for tokens needs answers with a maximum length', () => {
    const chat = (more: string) =>
      messagesOf(
        `traffic: [{kind: chat, model: m, prompt: hi${more}}]\n${load}pace: {tokens: 500/min}\nkeys: "\${env:K}"\n`,
      ).filter((message) => message.includes('maxTokens'));
    expect(chat('')).toEqual([
      '"maxTokens" is missing: a pace for tokens has to reserve the most that an answer may use',
    ]);
    expect(chat(', maxTokens: 5')).toEqual([]);
    expect(chat(', body: {max_completion_tokens: 5}')).toEqual([]);
  });
});
