import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineTokenLimit, type TokenLimitRequest } from './token-limits.ts';

/** Two chat models with prices for a token, of which the second is cheaper, and both of audio. */
const listed = [
  { id: 'dear', context_length: 131_072, pricing: { prompt: '0.000004', completion: '0.00002' } },
  { id: 'cheap', context_length: 32_768, pricing: { prompt: '0.000001', completion: '0.000002' } },
  { id: 'a-tts' },
  { id: 'whisper' },
];

/** Asks for an examination of a limit of tokens, which nobody confirms. */
const ask = async (
  given: Partial<TokenLimitRequest> = {},
  models: readonly object[] = listed,
  limits: readonly string[] = ['limits.tokensPerMinute=2000000', 'limits.requestsPerMinute=60'],
  headers: Readonly<Record<string, string>> = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-tokens-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const list = models.map((model) => ({ object: 'model', ...model }));
  const sent: string[] = [];
  const server = await startAnswering(({ url }) => {
    sent.push(url);
    return [200, JSON.stringify({ object: 'list', data: list }), headers];
  });
  onTestFinished(() => server.close());
  const { host, said, warned } = fakeHost({ WEIR_API_KEY: 'sk-of-this-test' });
  const request: TokenLimitRequest = {
    scenario: undefined,
    target: `${server.origin}/v1`,
    set: limits,
    key: undefined,
    secondKey: undefined,
    tokens: '',
    context: undefined,
    unit: undefined,
    sameTeam: false,
    yesTokens: false,
    model: undefined,
    preflight: true,
    window: undefined,
    price: undefined,
    sustain: undefined,
    yes: false,
    out: join(folder, 'out'),
    ...given,
  };
  const exit = examineTokenLimit(request, host);
  const budget = async (): Promise<readonly string[]> => {
    await expect(exit).rejects.toThrow('this budget needs a confirmation');
    expect(sent.filter((url) => url !== '/v1/models')).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    return said.map((line) => line.replace(server.origin, 'ORIGIN'));
  };
  return { exit, budget, warned, folder };
};

describe('an examination of tokens', () => {
  it.each<readonly [Partial<TokenLimitRequest>]>([
    [{}],
    [{ tokens: 'quick' }],
    [{ model: 'dear' }],
    [{ sustain: '6', price: '2/8' }],
    [{ unit: 'output-tokens' }],
    [{ context: '65536', window: '30s' }],
  ])('with %j says its model and its budget, and sends nothing without a yes', async (given) => {
    expect(await (await ask(given)).budget()).toMatchSnapshot();
  });

  it('uses the cheapest model whose context holds the prompts of the limit', async () => {
    const lower = ['limits.tokensPerMinute=700000', 'limits.requestsPerMinute=60'];
    expect((await (await ask({}, listed, lower)).budget())[0]).toContain(', model cheap: ');
    const higher = ['limits.tokensPerMinute=750000', 'limits.requestsPerMinute=60'];
    expect((await (await ask({}, listed, higher)).budget())[0]).toContain(', model dear: ');
  });

  it('says which limits it assumes if none is declared', async () => {
    const said = async (window?: string) => (await ask({ window }, listed, [])).budget();
    const assumed = 'No limit was declared, so 60 requests and 2,000,000 tokens';
    expect((await said())[1]).toBe(
      `${assumed} a minute are assumed. Name others with --set limits.requestsPerMinute=… or --set limits.tokensPerMinute=….`,
    );
    expect((await said('30s'))[1]).toMatch(`${assumed} in 30 s are assumed.`);
    expect((await (await ask()).budget()).join()).not.toContain('assumed');
  });

  it('says of a scenario without limits which it assumes, and of one limit only that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-tokens-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const scenario = join(folder, 'run.yaml');
    const [traffic, load] = ['{ kind: models }', '{ kind: constant, rate: 1/s, duration: 1s }'];
    await writeFile(scenario, `traffic: [${traffic}]\nload: ${load}\n`);
    expect((await (await ask({ scenario }, listed, [])).budget())[1]).toContain(
      'No limit was declared, so 60 requests and 2,000,000 tokens a minute are assumed.',
    );
    const set = ['limits.requestsPerMinute=90'];
    expect((await (await ask({ scenario }, listed, set)).budget())[1]).toBe(
      'No limit of tokens was declared, so 2,000,000 tokens a minute are assumed. Name another with --set limits.tokensPerMinute=….',
    );
    const other = ['limits.tokensPerMinute=2000000'];
    expect((await (await ask({}, listed, other)).budget()).join()).not.toContain('assumed');
  });

  it('examines no assumed limit if the headers name another', async () => {
    const headers = { 'x-ratelimit-limit-requests': '90', 'x-ratelimit-limit-tokens': '50000' };
    await expect((await ask({}, listed, [], headers)).exit).rejects.toThrow(
      'no limit of requests and tokens was declared, and the headers of this gateway name 90 requests a minute and 50,000 tokens a minute, not the 60 requests and 2,000,000 tokens a minute that would be assumed: declare the limit to examine: --set limits.requestsPerMinute=90 --set limits.tokensPerMinute=50000',
    );
    const set = ['limits.tokensPerMinute=60000', 'limits.requestsPerMinute=90'];
    expect(await (await ask({}, listed, set, headers)).budget()).toHaveLength(2);
    const same = { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-limit-tokens': '2000000' };
    expect(await (await ask({}, listed, [], same)).budget()).toHaveLength(3);
  });

  it('says what money needs where no price is known', async () => {
    const { budget } = await ask({}, [{ id: 'm' }]);
    expect((await budget()).join()).toContain(
      'money unknown: give --price INPUT/OUTPUT for a million tokens',
    );
  });

  it.each<readonly [Partial<TokenLimitRequest>, string]>([
    [{ tokens: 'slow' }, '--tokens: expected full or quick; got slow'],
    [{ unit: 'words' }, '--unit: expected tokens or input-tokens or output-tokens; got words'],
    [{ context: '0' }, '--context: expected a number of tokens, such as 131072; got 0'],
    [{ context: '1234567890' }, '--context: expected a number of tokens'],
    [{ price: '3' }, '--price: '],
    [{ sustain: '0.5' }, '--sustain: '],
    [{ window: 'x' }, '--window: '],
  ])('refuses %j', async (given, message) => {
    await expect((await ask(given)).exit).rejects.toThrow(message);
  });

  it('needs the limit that the gateway declares', async () => {
    const { exit } = await ask({}, listed, ['limits=none']);
    await expect(exit).rejects.toThrow(
      'limits.tokensPerMinute: expected the limit that the gateway declares; got none. Pass it with --set limits.tokensPerMinute=2000000',
    );
  });

  it('is undecided, and writes nothing, where small chats are large beside the limit', async () => {
    const { exit, warned, folder } = await ask({}, listed, [
      'limits.tokensPerMinute=500',
      'limits.requestsPerMinute=60',
    ]);
    expect(await exit).toBe('inconclusive');
    expect(warned).toEqual([
      expect.stringMatching(/^Undecided: .*\. Nothing was sent to examine the limit\.$/),
    ]);
    expect(await readdir(folder)).toEqual([]);
  });
});
