import { expect, it } from 'vitest';
import { milliseconds } from '../model/quantity.ts';
import {
  answerTimeFrom,
  checkPlanFits,
  forecastOf,
  lateLookWarning,
  printForecast,
  undecidableObjectives,
} from './forecast.ts';
import { fakeHost } from './fake-host.fixture.ts';
import { readPlanWithFiles } from './input/read-plan.ts';

const chat = { kind: 'chat', model: 'weir/small', prompt: 'one two three', maxTokens: 12 };
const scenario = {
  name: 'forecast',
  target: 'mock',
  traffic: [chat],
  load: { kind: 'constant', rate: '5/s', duration: '60s' },
  grace: '7s',
};
const sourceOf = (changes: object) => ({
  scenario: undefined,
  value: { ...scenario, ...changes },
  flags: {},
  set: [],
  target: undefined,
});
const read = (changes: object = {}) => readPlanWithFiles(sourceOf(changes), {});
const second = milliseconds(1000);
const users = (count: number, duration = '60s') => ({
  load: { kind: 'closed', users: count, duration },
});

it('a forecast is the arithmetic of its plan', async () => {
  const forecast = forecastOf(await read(), second);
  expect(forecast).toMatchObject({ name: 'forecast', scheduled: 60_000, grace: 7000, attempts: 1 });
  const { requests, input, output } = forecast.total;
  expect(requests.sum).toBe(300);
  expect(output.sum).toBe(300 * 12);
  expect(input.sum).toBeGreaterThanOrEqual(300 * 3);
  expect(input.sum % 300).toBe(0);
  expect(forecast.budget).toEqual([]);
});

it('users send as many requests as answers fit into the load', async () => {
  const plan = await read(users(4));
  expect(forecastOf(plan, second).total.requests.sum).toBe(240);
  expect(forecastOf(plan, milliseconds(500)).total.requests.sum).toBe(480);
});

it('users that would send more than ten million requests are refused', async () => {
  const more = await read(users(2, '5001s'));
  expect(() => forecastOf(more, milliseconds(1))).toThrow(
    'the users would send 10,002,000 requests if every answer took 1 ms; expected at most 10,000,000 requests. Set the length of an answer with --answer-time',
  );
});

it('the time of an answer is a second, or what the option says', () => {
  expect(answerTimeFrom(undefined)).toBe(1000);
  expect(answerTimeFrom('250ms')).toBe(250);
  expect(() => answerTimeFrom('0.5ms')).toThrow('--answer-time');
});

it.each([
  [{ requests: 299 }, 'budget.requests is 299, and the plan needs 300 requests: raise it'],
  [{ tokens: 3600 }, 'budget.tokens is 3,600, and the plan needs '],
])('a plan that needs more than the budget %j contradicts itself', async (budget, message) => {
  const plan = await read({ budget });
  expect(() => checkPlanFits(plan)).toThrow(message);
  expect(() => checkPlanFits(plan)).toThrow(
    '`weir plan` shows more; --yes runs it anyway, and its budget then ends it',
  );
});

it('a plan that fits its budget exactly, has none, or whose users decide, contradicts nothing', async () => {
  const { input } = forecastOf(await read(), second).total;
  for (const changes of [
    {},
    { budget: { requests: 300 } },
    { budget: { tokens: input.sum + 3600 } },
    { ...users(9), budget: { requests: 1 } },
  ]) {
    const plan = await read(changes);
    expect(() => checkPlanFits(plan)).not.toThrow();
  }
});

it('a budget of tokens needs a bound of the tokens', async () => {
  const { maxTokens: _, ...unbounded } = chat;
  const plan = await read({ traffic: [unbounded], budget: { tokens: 1_000_000 } });
  expect(() => checkPlanFits(plan)).toThrow(
    /^budget\.tokens is 1,000,000, but nothing bounds the tokens of 300 requests: give them maxTokens\n/,
  );
});

it('a pace that lets fewer requests through before the end contradicts the plan', async () => {
  const slow = await read({ pace: { tokens: 'none' }, limits: { requestsPerMinute: 60 } });
  expect(() => checkPlanFits(slow)).toThrow(/^pace allows \d+ requests before the run ends or /);
  expect(() => checkPlanFits(slow)).toThrow('and the plan has 300 requests: lengthen the load');
  expect(() => checkPlanFits(slow)).not.toThrow('its budget then ends it');
});

it('a pace contradicts the plan as soon as one request is not sent before the end', async () => {
  const limited = (requestsPerMinute: number) =>
    read({ pace: { tokens: 'none' }, limits: { requestsPerMinute } });
  const [fitting, slow] = [await limited(270), await limited(269)];
  expect([fitting, slow].map((plan) => forecastOf(plan, second).pace?.unsendable)).toEqual([0, 1]);
  expect(() => checkPlanFits(fitting)).not.toThrow();
  expect(() => checkPlanFits(slow)).toThrow(/^pace allows 299 requests before /);
});

it('an objective with too few samples is named with what it needs and gets', async () => {
  const objectives = ['endToEnd.p99.9 < 5s', 'endToEnd.p50 < 5s'];
  const [sentence, ...others] = undecidableObjectives(await read({ objectives }));
  expect(sentence).toMatch(
    /^The objective endToEnd\.p99\.9 < 5s cannot be decided: it needs [\d,]+ samples, and the plan gives at most 300\. /,
  );
  expect(others).toEqual([]);
  expect(undecidableObjectives(await read())).toEqual([]);
  expect(undecidableObjectives(await read({ ...users(1), objectives }))).toEqual([]);
});

it('a run that ends before its first look is warned of', async () => {
  const until = (atMost: string) => ({
    load: { kind: 'constant', rate: '5/s', duration: '1s' },
    until: 'decided',
    atMost,
    objectives: ['errorRate < 5%'],
  });
  const [warning] = await lateLookWarning((await read(until('12s'))).plan);
  expect(warning).toMatch(
    /^The run cannot end early: it looks after .* for the first time .*, and lasts at most 12 s\. /,
  );
  expect(await lateLookWarning((await read(until('1h'))).plan)).toEqual([]);
  // A plan of the same length that ends when its time is over has nothing to warn of.
  const short = { load: { ...scenario.load, duration: '12s' } };
  expect(await lateLookWarning((await read(short)).plan)).toEqual([]);
});

it('the forecast is printed as figures and as text, with its slices', async () => {
  const { host, printed } = fakeHost();
  const request = { source: sourceOf({}), answerTime: undefined };
  await printForecast({ ...request, slices: undefined }, host);
  await printForecast({ ...request, slices: 4 }, host);
  const [plain, shared] = printed.map(({ json }) => JSON.parse(json!) as Record<string, unknown>);
  expect(plain).toMatchObject({ name: 'forecast', slices: null });
  expect(shared!['slices']).toMatchObject({ slices: 4, bytesPerSecond: 3250 });
  const text = printed[0]!.text({ colour: false, width: 80 });
  expect(text).toContain('300');
  expect(text).not.toContain('315 MB');
  // 314,605,568 bytes of memory for each of the four slices.
  expect(printed[1]!.text({ colour: false, width: 80 })).toContain('315 MB');
  await expect(printForecast({ ...request, slices: 'auto' }, host)).rejects.toThrow(
    '--slices auto: ',
  );
});
