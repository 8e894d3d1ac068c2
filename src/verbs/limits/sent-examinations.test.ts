import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type AnswerTo, chatAnswer, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineLimits, type LimitsRequest } from './limits.ts';
import type { LimitReport } from './model/limit-report.ts';
import type { TokenReport } from './model/token-report.ts';
import { sampleLimitsRequest } from './sample-limits-request.fixture.ts';
import { examineTokenLimit, type TokenLimitRequest } from './token-limits.ts';

/** Examinations that end after a few requests: those of an exhausted key, or a stop at the first chat. */

const models = JSON.stringify({
  object: 'list',
  data: ['m', 'n'].map((id) => ({ id, object: 'model' })),
});

type AnswerChat = (text: string, stop: () => void) => ReturnType<AnswerTo>;

/** Opens a target that answers chats as the test says, and a folder for the findings. */
const opened = async (answerChat: AnswerChat) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-sent-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fake = fakeHost({ WEIR_API_KEY: 'sk-one', SECOND: 'sk-two' });
  const keys: unknown[] = [];
  const server = await startAnswering(({ url, authorization, text }) => {
    if (url.endsWith('/models')) return [200, models];
    keys.push(authorization);
    return answerChat(text, () => fake.stop('SIGINT'));
  });
  onTestFinished(server.close);
  const out = join(folder, 'out');
  const shared = { target: `${server.origin}/v1`, secondKey: 'SECOND', yes: true, out };
  const stored = async <Report>(name: string): Promise<Report> =>
    JSON.parse(await readFile(join(out, name), 'utf8')) as Report;
  return { ...fake, shared, stored, keys };
};

const ofRequests = async (answerChat: AnswerChat, given: Partial<LimitsRequest> = {}) => {
  const { shared, host, stored, said, keys } = await opened(answerChat);
  const request: LimitsRequest = {
    ...sampleLimitsRequest,
    ...shared,
    set: ['limits.requestsPerMinute=60', 'limits.tokensPerMinute=2000'],
    checks: 'exhausted',
    ...given,
  };
  const exit = await examineLimits(request, host);
  return { exit, said: said.slice(1), keys, report: await stored<LimitReport>('limits.json') };
};

const answered: AnswerChat = () => [200, chatAnswer];
const [one, two] = ['Bearer sk-one', 'Bearer sk-two'];
const exhaustedLine = (requests: number): string =>
  `exhausted: how each kind of request is answered, and whether another key is admitted; about ${requests} requests`;

it('an examination of requests asks with both keys, and stores what was answered', async () => {
  const { exit, said, keys, report } = await ofRequests(answered, { price: '1/2' });
  expect(exit).toBe('inconclusive');
  expect(said).toEqual([expect.stringMatching(/^Budget: /), exhaustedLine(11)]);
  expect(keys).toEqual([one, one, one, two, two, two, two, two]);
  expect(report.log).toMatchObject({
    declared: {
      requests: { limit: 60, window: 60_000 },
      tokens: { limit: 2000, window: 60_000 },
    },
    cut: null,
  });
  expect(report.log.replies.map(({ request, key }) => `${request} ${key}`)).toEqual([
    'chat first',
    'other-model first',
    'chat-stream first',
    'models first',
    ...Array.from({ length: 5 }, () => 'chat second'),
  ]);
  expect(report.log.replies[0]!.requestId).toMatch(/^limits-\d{10}-1$/);
  expect(report.log.listed!.answered).toBeGreaterThanOrEqual(report.log.listed!.sent);
  expect(report.took).toBeGreaterThan(0);
  expect(report).not.toHaveProperty('log.isTeam');
  expect(report).not.toHaveProperty('explanation');
});

it('keys of a team take turns in an examination of requests, which can be explained', async () => {
  const { keys, said, report } = await ofRequests(answered, { sameTeam: true, explain: true });
  expect(keys).toEqual([one, two, one]);
  expect(said.at(-1)).toBe(exhaustedLine(6));
  expect(report.log.isTeam).toBe(true);
  expect(report).toHaveProperty('explanation');
});

it('an examination without an answer to a whole chat found nothing', async () => {
  const { exit } = await ofRequests((text) =>
    text.includes('"stream":true') ? [200, chatAnswer] : [500, '{}'],
  );
  expect(exit).toBe('empty');
});

it('an assumed limit of requests is not judged if answers name another', async () => {
  const headers = { 'x-ratelimit-limit-requests': '90', 'x-ratelimit-remaining-requests': '89' };
  const { report } = await ofRequests(() => [200, chatAnswer, headers], { set: [] });
  expect([report.isAssumed, report.judgement.reasons]).toEqual([
    true,
    [
      'no limit of requests was declared, and the headers of answers name 90, not the assumed 60: examine that one with --set limits.requestsPerMinute=90',
    ],
  ]);
  const declared = await ofRequests(() => [200, chatAnswer, headers]);
  expect(declared.report.judgement.reasons).not.toEqual(report.judgement.reasons);
});

it('an examination of requests that is stopped keeps what was answered', async () => {
  const { exit, said, report } = await ofRequests(
    (_, stop) => {
      stop();
      return [200, chatAnswer];
    },
    { checks: 'counting,exhausted', sustain: '0' },
  );
  expect([exit, report.log.cut]).toEqual(['interrupted', 'stopped by SIGINT']);
  expect(report.log.replies.map(({ phase, status }) => [phase, status])).toEqual([
    ['counting', 200],
  ]);
  // A pause of 1.1 s and 0.25 s for an answer follow each of 31 requests.
  expect(said[1]).toMatch(
    /^counting: which requests count, .+; about 31 requests in \d+(\.\d)? s$/,
  );
  expect(said[2]).toBe('stopping: the replies so far will be judged');
});

const ofTokens = async (answerChat: AnswerChat, given: Partial<TokenLimitRequest> = {}) => {
  const { shared, host, stored, said, keys } = await opened(answerChat);
  const request: TokenLimitRequest = {
    ...sampleLimitsRequest,
    ...shared,
    set: ['limits.tokensPerMinute=2000000', 'limits.requestsPerMinute=60'],
    tokens: 'full',
    context: undefined,
    unit: undefined,
    yesTokens: false,
    ...given,
  };
  const exit = await examineTokenLimit(request, host);
  return {
    exit,
    said: said.slice(2),
    keys,
    report: await stored<TokenReport>('token-limits.json'),
  };
};

it.each<readonly [Partial<TokenLimitRequest>, object]>([
  [{}, { isQuick: false, context: null }],
  [
    { tokens: 'quick', unit: 'input-tokens' },
    { isQuick: true, unit: 'input-tokens' },
  ],
  [
    { sameTeam: true, context: '200000' },
    { isTeam: true, context: 200_000 },
  ],
])(
  'an examination of tokens with %j that is stopped keeps what was answered',
  async (given, log) => {
    const found = await ofTokens((_, stop) => {
      stop();
      return [200, chatAnswer];
    }, given);
    expect([found.exit, found.keys]).toEqual(['interrupted', [one]]);
    const { report } = found;
    expect(report).toMatchObject({ format: 'token-limits/1', model: 'm' });
    expect(report.log).toMatchObject({
      rule: { tokens: 2_000_000, requests: 60, window: 60_000 },
      cut: 'stopped by SIGINT',
      ...log,
    });
    expect(report.log.replies).toHaveLength(1);
    expect(report.log.replies[0]).toMatchObject({
      usage: { input: 10, output: given.unit === undefined ? 2 : 0 },
    });
    expect(report.findings).not.toHaveProperty('isPromised');
    expect(Object.keys(report.log).filter((key) => key === 'isTeam' || key === 'unit')).toEqual(
      Object.keys(log).filter((key) => key === 'isTeam' || key === 'unit'),
    );
  },
);

it('an examination of tokens that is stopped before an answer is interrupted', async () => {
  const { exit, report } = await ofTokens((_, stop) => {
    stop();
    return [500, '{}'];
  });
  expect([exit, report.log.replies.length]).toEqual(['interrupted', 1]);
});
