import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { comparePairs } from './compare-pairs.ts';
import { pairsSchema } from './model/pairs.ts';

/** What a paired comparison says and refuses before it sends anything, and one of a few requests. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const scenario = {
  name: 'pairs',
  target: 'http://127.0.0.1:9/v1',
  keys: [{ name: 'direct', key: '${env:DIRECT}' }],
  traffic: [{ kind: 'chat', model: 'm', prompt: 'hi', maxTokens: 4 }],
  load: { kind: 'constant', rate: '2/s', duration: '30s' },
  prices: { m: { input: 1000, output: 3000 } },
  warmUp: '0s',
  limits: 'none',
  canary: false,
};

const keys = { DIRECT: 'sk-direct', GATEWAY: 'sk-gateway', EMPTY: '' };

type Request = Parameters<typeof comparePairs>[0];

let files = 0;
const compare = async (given: Partial<Request>, changes: object = {}, fake = fakeHost(keys)) => {
  const path = join(folder, `${(files += 1)}.json`);
  await writeFile(path, JSON.stringify({ ...scenario, ...changes }));
  const request: Request = {
    scenario: path,
    target: undefined,
    next: 'http://127.0.0.1:9/v2',
    key: undefined,
    withKey: 'GATEWAY',
    set: [],
    allowFiles: false,
    gap: undefined,
    maxAdded: undefined,
    yes: false,
    out: undefined,
    jobSummary: undefined,
    ...given,
  };
  const problem: unknown = await comparePairs(request, fake.host).catch((error: unknown) => error);
  return { ...fake, message: problem instanceof Error ? problem.message : String(problem) };
};

const unconfirmed = 'this budget needs a confirmation';

it('says what both sides are sent together, and sends nothing without a yes', async () => {
  const { said, message } = await compare({ key: 'DIRECT', maxAdded: '5ms,p95=20ms' });
  expect(message).toContain(unconfirmed);
  // 60 requests for each side, of a token and at most four.
  expect(said).toEqual([
    'Budget of both sides: 120 requests, with tokens: about 120 in, at most 480 out; cost: about 1.560000; 30 s of load.',
  ]);
});

it('says how many requests all retries may make', async () => {
  const { said } = await compare({}, { retry: { attempts: 3 } });
  expect(said[0]).toMatch(/; 30 s of load, 360 with all retries\.$/);
});

it('does not send both sides more than the budget of the scenario', async () => {
  const { message } = await compare({}, { budget: { requests: 119 } });
  expect(message).toBe(
    'budget.requests is 119, and both sides together need 120 requests: raise it or send less; --yes sends until it is spent',
  );
  expect((await compare({}, { budget: { requests: 120 } })).message).toContain(unconfirmed);
});

it.each<readonly [Partial<Request>, string]>([
  [{ maxAdded: 'p90=5ms' }, '--max-added: expected '],
  [{ maxAdded: '' }, '--max-added: expected a time such as 5ms, or p95=20ms for the 95th perce'],
  [{ maxAdded: '5ms, ' }, '--max-added: expected a time such as 5ms'],
  [{ gap: 'soon' }, '--gap: expected '],
  [{ key: 'NONE' }, '--key: the environment variable NONE is not set; set it before the run'],
  [{ key: 'EMPTY' }, '--key: the environment variable EMPTY is not set'],
  [{ withKey: 'NONE' }, '--with-key: the environment variable NONE is not set'],
  [
    { withKey: undefined },
    '--with-key: expected the environment variable with the key for http://127.0.0.1:9/v2: a key goes to no other side than its own',
  ],
])('refuses %j', async (given, expected) => {
  expect((await compare(given)).message).toContain(expected);
});

const users = { kind: 'closed', users: 2, duration: '30s' };

it.each<readonly [object, string]>([
  [{ load: users }, '--paired: expected loads with a rate or a trace'],
  [
    {
      load: undefined,
      stages: [
        { name: 'a', load: scenario.load },
        { name: 'b', load: users },
      ],
    },
    '--paired: expected loads with a rate or a trace',
  ],
  [
    { load: undefined, populations: [{ name: 'a', load: scenario.load }] },
    'populations: --paired sends one mix of requests to both sides',
  ],
  [
    { until: 'decided', atMost: '1m', objectives: ['errorRate < 5%'] },
    'until: decided: both sides are compared over the same time',
  ],
  [
    { headers: { 'x-plain': 'a', 'x-secret': '${env:DIRECT}' } },
    'headers.x-secret: it has a secret, and would go to both sides',
  ],
])('refuses a scenario with %j', async (changes, expected) => {
  expect((await compare({}, changes)).message).toContain(expected);
});

it('sets the same fields for both sides', async () => {
  const { said } = await compare({ set: ['load.rate=3/s'], target: 'http://127.0.0.1:9/v3' });
  expect(said[0]).toContain('180 requests');
});

const answer = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});
const models = JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] });

/** Starts a server that answers chats, or refuses them with a status, and keeps their keys and bodies. */
const openSide = async (status = 200) => {
  const chats: string[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      if (text !== '') chats.push(`${request.headers.authorization} ${text}`);
      response.writeHead(text === '' ? 200 : status, { 'content-type': 'application/json' });
      response.end(text === '' ? models : answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, chats };
};

const short = { load: { kind: 'constant', rate: '100/s', duration: '60ms' } };

it('sends each request to both sides with the key of each, and reports what failed at one', async () => {
  const [base, next] = [await openSide(), await openSide(500)];
  const out = join(folder, 'both');
  const { said, warned, printed, listed } = await compare(
    { target: base.url, next: next.url, yes: true, out, gap: '2ms' },
    short,
  );
  const stored: unknown = JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8'));
  const report = pairsSchema.parse(stored);
  expect(report).toMatchObject({
    format: 'pairs/1',
    name: 'pairs',
    gap: 2,
    seconds: 1,
    pairs: 6,
    base: { target: base.url, key: ['direct'], outcomes: { completed: 6 } },
    next: { target: next.url, key: ['gateway'], outcomes: { completed: 0 } },
    failures: { baseOnly: 0, nextOnly: 6, both: 0, unknown: 0 },
    notes: [],
  });
  const bodies = (chats: readonly string[], key: string): readonly string[] =>
    chats.map((chat) => chat.replace(`Bearer ${key} `, '')).toSorted();
  expect(bodies(next.chats, 'sk-gateway')).toEqual(bodies(base.chats, 'sk-direct'));
  expect(said).toContain(
    `pairs: each request to ${base.url} and to ${next.url}, 2 ms apart in random order, for 60 ms. Ctrl-C ends it early and keeps the report.`,
  );
  expect(warned).toEqual([]);
  expect(JSON.parse(printed[0]!.json!)).toEqual(stored);
  expect(listed.join('\n')).toContain(join(out, 'pairs.html'));
  for (const [name, { url }] of [
    ['base', base],
    ['new', next],
  ] as const) {
    const result = JSON.parse(await readFile(join(out, name, 'result.json'), 'utf8'));
    expect(result).toMatchObject({ baseUrl: url, scheduled: 60, partial: null });
    expect(JSON.stringify(result)).not.toContain('sk-');
  }
});

it('shares the budget of the scenario among both sides, and says that it was spent', async () => {
  const [base, next] = [await openSide(), await openSide()];
  const out = join(folder, 'spent');
  const { message } = await compare(
    { target: base.url, next: next.url, yes: true, out, maxAdded: '10s' },
    { ...short, budget: { requests: 5 } },
  );
  expect(base.chats.length + next.chats.length).toBe(5);
  expect(message).toBe('incomplete');
  const { notes } = pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  expect(notes).toEqual([
    expect.stringMatching(
      /^The load ended after [\d.]+ ms, since the next request might have passed budget\.requests\.$/,
    ),
  ]);
});

it('keeps what it has when it is stopped', async () => {
  const [base, next] = [await openSide(), await openSide()];
  const out = join(folder, 'stopped');
  const fake = fakeHost(keys);
  const push = next.chats.push.bind(next.chats);
  next.chats.push = (...chats: string[]) => {
    fake.stop('SIGTERM');
    return push(...chats);
  };
  const { message } = await compare(
    { target: base.url, next: next.url, yes: true, out },
    { load: { kind: 'constant', rate: '100/s', duration: '30s' } },
    fake,
  );
  expect(message).toBe('terminated');
  const { notes } = pairsSchema.parse(JSON.parse(await readFile(join(out, 'pairs.json'), 'utf8')));
  expect(notes).toEqual(['The load stopped before the load had ended.']);
});
