// @gate 1 s
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatEvent } from '../../acceptance/harness/chat-body.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineFairness, type FairnessRequest } from './fairness.ts';
import { fairnessReportSchema } from './model/fairness-report.ts';

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const answer = `${chatEvent({ role: 'assistant', content: 'a' })}${chatEvent({}, 'stop')}data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [], usage })}\n\ndata: [DONE]\n\n`;

/** A server that answers each chat at once, and counts them. */
const openServer = async (onChat: (count: number) => void): Promise<string> => {
  let count = 0;
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      const isChat = request.method === 'POST';
      response.setHeader('content-type', isChat ? 'text/event-stream' : 'application/json');
      response.end(isChat ? answer : '{"object":"list","data":[{"id":"m","object":"model"}]}');
      if (isChat) onChat((count += 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const stream = { kind: 'chat-stream', model: 'm', prompt: 'hi', maxTokens: 4 };
const b = { name: 'b', keys: '${env:B}', load: { kind: 'constant', rate: '40/s', duration: '9s' } };
const a = { name: 'a', keys: '${env:A}', load: { kind: 'constant', rate: '20/s', duration: '9s' } };
const neighbours = {
  name: 'neighbours',
  seed: 5,
  traffic: [stream],
  limits: 'none',
  prices: { m: { input: 1000, output: 3000 } },
  canary: false,
  warmUp: '0s',
  populations: [b, a],
};

const nothing: Omit<FairnessRequest, 'source'> = {
  quietPopulation: undefined,
  noisy: undefined,
  times: undefined,
  pairs: '3',
  block: '2s',
  settle: '1s',
  maxMoved: undefined,
  figure: undefined,
  requests: undefined,
  yes: false,
  out: undefined,
};

const nowhere = 'http://127.0.0.1:9/v1';
const keys = { A: 'key-a', B: 'key-b' };
const examine = (
  changes: object = {},
  given: Partial<FairnessRequest> = {},
  { target = nowhere, fake = fakeHost(keys) } = {},
) => {
  const value = { ...neighbours, ...changes };
  const source = { scenario: undefined, value, flags: {}, set: [], target };
  return { ...fake, exit: examineFairness({ ...nothing, source, ...given }, fake.host) };
};

/** What is said before anything is sent. */
const designOf = async (changes: object, given: Partial<FairnessRequest> = {}) => {
  const { exit, said } = examine(changes, given);
  await expect(exit).rejects.toThrow('this budget needs a confirmation');
  return said.join('\n').split('\n');
};

describe('weir fairness', () => {
  it('says what it measures and what that needs, and sends nothing without a yes', async () => {
    const [design, reach, budget] = await designOf({});
    expect(design).toBe(
      'TTFT p95 of b with and without the load of a: 3 pairs of blocks in random order; each measures 2 s, after 1 s that do not count.',
    );
    expect(reach).toBe(
      'If these times scatter like an exponential, the interval will be ±77.1 % with at most 10.0 % allowed, and “isolated” is likely to need --pairs 25 (2 min 30 s).',
    );
    // Six blocks of 3 s, in three of which a sends too: 720 + 180, and five deviations.
    expect(budget).toBe(
      'Budget: at most 1,050 requests, retries included; as planned: 900 requests, with tokens: about 900 in, at most 3,600 out; cost: about 11.700000; 18 s of load.',
    );
    // A second more if the last block has the noise, so that b can come back.
    const [, , longer] = await designOf({ seed: 6 });
    expect(longer).toContain(
      'at most 1,094 requests, retries included; as planned: 940 requests, ',
    );
    expect(longer).toContain('; 19 s of load.');
  });

  it('sends a multiple of the noise, all of it a share of users’ budget', async () => {
    const users = { kind: 'closed', users: 2, duration: '9s' };
    const [design, , budget] = await designOf(
      { populations: [b, { ...a, load: users }] },
      { times: '3', quietPopulation: 'b', noisy: 'a', figure: 'endToEnd.p50' },
    );
    expect(design).toContain('end to end p50 of b with 3 times and with once the load of a: ');
    expect(budget).toContain('Budget: at most 50,000 requests, ');
    expect(budget).toContain('as planned if an answer takes 1 s: ');
    const [, , capped] = await designOf(
      { populations: [b, { ...a, load: users }], budget: { requests: 1500 } },
      { requests: '2000' },
    );
    expect(capped).toContain('Budget: at most 1,500 requests, ');
  });

  it('measures the end to end where nothing is streamed', async () => {
    const [design] = await designOf({ traffic: [{ ...stream, kind: 'chat' }] });
    expect(design).toMatch(/^end to end p95 of b /);
  });

  it.each<readonly [changes: object, given: Partial<FairnessRequest>, message: string]>([
    [{}, { noisy: 'c' }, '--noisy: expected a population of the scenario (b and a); got c'],
    [{}, { quietPopulation: 'c' }, '--quiet-population: expected a population of the'],
    [{}, { quietPopulation: 'a', noisy: 'a' }, '--noisy: expected another population than the'],
    [{}, { pairs: '2' }, '--pairs: expected a whole number of at least 3; got 2'],
    [{}, { pairs: '3.5' }, '--pairs: expected a whole number of at least 3; got 3.5'],
    [{}, { times: '1' }, '--times: expected a whole number of at least 2; got 1'],
    [{}, { block: '999ms' }, '--block: expected '],
    [{}, { settle: '1' }, '--settle: expected '],
    [{}, { maxMoved: 'much' }, '--max-moved: expected '],
    [{}, { figure: 'ttft' }, '--figure: expected ttft or endToEnd with p50'],
    [{}, { figure: 'tpot.p95' }, '--figure: expected ttft or endToEnd with p50'],
    [{}, { requests: '800' }, 'requests, and at most 800 are allowed: raise --requests'],
    [{ budget: { requests: 700 } }, {}, 'requests, and at most 700 are allowed: raise --requests'],
    [
      { traffic: [{ ...stream, kind: 'chat' }] },
      { figure: 'ttft.p95' },
      'population b streams nothing, so it has no TTFT: give endToEnd.p95',
    ],
    [
      {
        populations: [
          b,
          { ...a, load: { kind: 'ramping', from: '1/s', steps: [{ to: '9/s', over: '9s' }] } },
        ],
      },
      {},
      'population a: expected a steady load, since its blocks are compared: constant, poisson, gamma or closed; got a rate that changes',
    ],
    [
      {
        populations: [
          { ...b, load: { kind: 'stairs', from: '1/s', step: '1/s', every: '3s', steps: 3 } },
          a,
        ],
      },
      {},
      'population b: expected one load, since its blocks are compared; got 3 stages',
    ],
    [{ populations: [b] }, {}, 'weir fairness needs a scenario with two populations'],
  ])('refuses %j with %j', async (changes, given, message) => {
    await expect(examine(changes, given).exit).rejects.toThrow(message);
  });

  it('reports what it has seen when it is stopped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-fairness-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const fake = fakeHost(keys);
    const target = await openServer((count) => {
      if (count === 3) fake.stop('SIGINT');
    });
    const { exit, printed, listed } = examine(
      {},
      { yes: true, out: join(folder, 'out') },
      { target, fake },
    );
    expect(await exit).toBe('interrupted');
    const stored: unknown = JSON.parse(await readFile(join(folder, 'out/fairness.json'), 'utf8'));
    const report = fairnessReportSchema.parse(stored);
    expect(report).toMatchObject({
      name: 'neighbours',
      target,
      seed: 5,
      quiet: 'b',
      noisy: 'a',
      figure: 'TTFT p95',
      settle: 1000,
      maxMoved: 0.1,
      verdict: 'unknown',
      moved: null,
      blocks: [],
      partial: 'stopped by SIGINT before the load had ended',
      refusals: { cause: 'none' },
    });
    const { spent } = report;
    expect(spent.requests).toBeGreaterThanOrEqual(3);
    expect(spent.tokens).toBe(12 * spent.requests);
    // A millionth of the currency for a thousandth of a prompt's token, and three for an answer's.
    expect(spent.cost).toBe(16_000 * spent.requests);
    expect(JSON.parse(printed.at(-1)!.json!)).toEqual(stored);
    expect(printed).toHaveLength(1);
    expect(await readFile(join(folder, 'out/fairness.html'), 'utf8')).toContain('b beside a on');
    expect(listed.join('\n')).toContain(join(folder, 'out/fairness.html'));
    expect(await readFile(join(folder, 'out/run/result.json'), 'utf8')).not.toContain('key-b');
  });
});
