import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { checkBudgetText, checkGateway, exitFor, printedCheck } from './check.ts';
import type { CheckSettings } from './check-settings.ts';
import { checkReportSchema, type CheckReport } from './model/check-report.ts';
import { performCheck } from './perform-check.ts';
import { sampleCheck, sampleRow } from './report/sample-check.fixture.ts';
import { free } from './reading/check-case.ts';
import type { CheckBudget } from './suite/check-table.ts';

const nothing: CheckBudget = { ...free, requests: 0, more: 0, audioCost: 0 };

it.each<readonly [Partial<CheckBudget>, string]>([
  [{ requests: 1 }, '1 request'],
  [{ requests: 12, more: 1 }, '12 requests, and up to 1 more where some are refused'],
  [
    { requests: 2, inputTokens: 1200, outputTokens: 34 },
    '2 requests; at most 1,234 tokens of chats, whose price depends on the model',
  ],
  [{ requests: 2, inputTokens: 5 }, '2 requests'],
  [
    { requests: 3, characters: 1, audioSeconds: 1, audioCost: 1 },
    '3 requests; 1 characters of speech; 1 s of audio; 0.000001 of your currency for the audio, by the prices of the interface',
  ],
])('the budget %j is %s', (budget, words) => {
  expect(checkBudgetText({ ...nothing, ...budget })).toBe(
    `${words}; under a minute, unless the key is limited`,
  );
});

const reportWith = (
  outcome: Parameters<typeof sampleRow>[0] & object,
  changes: Partial<CheckReport> = {},
): CheckReport => sampleCheck([sampleRow(outcome)], changes);
const violation = reportWith({ outcome: 'violation' });
const deviation = reportWith({ outcome: 'deviation' });
const passed = reportWith({ outcome: 'pass' });

it.each([
  ['interrupted', passed, 'SIGINT', true, false],
  ['terminated', violation, 'SIGTERM', false, true],
  ['empty', violation, null, false, false],
  ['objective', violation, null, true, false],
  ['inconclusive', reportWith({ outcome: 'unchecked' }), null, true, false],
  ['inconclusive', reportWith({ outcome: 'pass' }, { stopped: 'late' }), null, true, false],
  ['pass', passed, null, true, true],
  ['pass', deviation, null, true, false],
  ['objective', deviation, null, true, true],
] as const)('the exit is %s', (exit, report, stoppedBy, isAnswered, strict) => {
  expect(exitFor({ report, stoppedBy, isAnswered }, strict)).toBe(exit);
});

it('prints the findings, on demand the details, and ends with the exit and the verdict', () => {
  const style = { colour: false, width: 80 };
  const failed = printedCheck(violation, 'objective');
  expect(failed.isGood).toBe(false);
  expect(failed.text!(style)).toContain('chat (§ 4.1): status 200');
  expect(failed.text!(style)).not.toContain('Violations (1)');
  expect(failed.details!(style)).toContain('Violations (1)');
  expect(failed.closing!(style)).toBe('✗ Exit 10. The interface is broken: 1 violation.');
  const good = printedCheck(passed, 'pass');
  expect(good.isGood).toBe(true);
  expect(good.closing!(style)).toBe('✓ The interface is kept: 1 as specified.');
});

/** Nothing listens at this port, so that every connection is refused at once. */
const closed = 'http://127.0.0.1:9/v1';
const settings = (given: Partial<CheckSettings> = {}): CheckSettings =>
  ({
    scenario: undefined,
    target: closed,
    key: 'K',
    set: [],
    only: 'chat.id',
    noCost: false,
    preflight: false,
    ...given,
  }) as CheckSettings;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-check-'));
});
afterAll(() => rm(folder, { recursive: true }));

const command = (given: object) =>
  ({
    ...settings({ model: 'm', speechModel: 's', transcriptionModel: 't' }),
    strict: false,
    yes: true,
    ...given,
  }) as unknown as Parameters<typeof checkGateway>[0];

it('a check of a target that is not there says its budget, writes its report, and is empty', async () => {
  const { host, said, printed } = fakeHost({ K: 'sk-of-this-test' });
  expect(await checkGateway(command({ out: folder }), host)).toBe('empty');
  expect(said[0]).toMatch(
    /^http:\/\/127\.0\.0\.1:9\/v1, model m\. Budget: 1 request; at most [\d,]+ tokens of chats, .*; under a minute, unless the key is limited\.$/,
  );
  const report = checkReportSchema.parse(
    JSON.parse(await readFile(join(folder, 'check.json'), 'utf8')),
  );
  expect(report.rows.map(({ id, outcome }) => [id, outcome])).toEqual([['chat.id', 'unchecked']]);
  expect(report).toMatchObject({ target: closed, stopped: null, profile: 'spec' });
  // The list of models, and the chat.
  expect(report.spent).toMatchObject({ requests: 2, inputTokens: 0, outputTokens: 0 });
  expect(printed[0]!.isGood).toBe(false);
  expect(await readFile(join(folder, 'check.junit.xml'), 'utf8')).toContain('chat.id');
});

it('asks before it sends anything besides the list, unless the budget is agreed to', async () => {
  const { host, said } = fakeHost({ K: 'sk-of-this-test' });
  const out = join(folder, 'asked');
  await expect(checkGateway(command({ out, yes: false }), host)).rejects.toThrow(
    'this budget needs a confirmation',
  );
  expect(said.join('\n')).toContain('model m. Budget: 1 request; ');
});

it('asks for consent, naming the target and the number of requests, and can be stopped before the load', async () => {
  const { host, stop } = fakeHost({ K: 'sk-of-this-test' });
  let asked: unknown;
  const check = performCheck(settings({ model: 'm' }), host, async ({ requests }, target) => {
    asked = { requests, ...target };
    stop('SIGTERM');
    await new Promise(() => undefined);
  });
  await expect(check).rejects.toThrow(new StoppedBeforeLoad('SIGTERM'));
  expect(asked).toEqual({ requests: 1, baseUrl: closed, chat: 'm', isMock: false });
});
