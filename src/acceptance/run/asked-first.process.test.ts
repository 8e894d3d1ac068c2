import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { testKey } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

/** Every verb that sends for money says first what it would send, and sends nothing unless it may. */

cleanUpAfterEach();

let mock: Mock;
beforeAll(async () => {
  const at = milliseconds(1);
  const limits = { requestsPerMinute: 60, tokensPerMinute: 100_000 };
  mock = await startMock({ ttft: at, gap: at, limits }, realClock());
});
afterAll(() => mock.close());

const scenario = `name: asked
limits: { requestsPerMinute: 60, tokensPerMinute: 100000 }
traffic: [{ kind: chat, model: weir/small, prompt: hi, maxTokens: 5 }]
prices: { weir/small: { input: 1, output: 2 } }
load: { kind: constant, rate: 2/s, duration: 10s }
objectives: [errorRate < 5%]
canary: false
`;
const varied = `${scenario}vary: { load.rate: [1/s, 2/s] }\n`;

const asked = async (text: string, words: readonly string[]) => {
  const file = await tempFile('asked.yaml', text);
  const out = await tempFolder();
  const filled = words.map((word) => (word === 'FILE' ? file : word));
  const ended = await weir([...filled, '--target', mock.url, '--out', `${out}/out`], {
    WEIR_API_KEY: testKey(0),
    WEIR_SECOND_API_KEY: testKey(1),
  });
  const clean = (printed: string): string =>
    printed.replaceAll(mock.url, 'URL').replaceAll(file, 'FILE').replaceAll(out, 'OUT');
  return { code: ended.code, stdout: clean(ended.stdout), stderr: clean(ended.stderr) };
};

/** What the gateway has charged. */
const charged = async (): Promise<string> => (await fetch(`${mock.controlUrl}/ledger`)).text();

/** What the gateway declares of tokens. */
const tokens = 'limits.tokensPerMinute=100000';

describe('without a terminal and without --yes, nothing is sent by', () => {
  it.each([
    [['limits', '--set', tokens, '--price', '0.15/0.6']],
    [['limits', '--set', tokens, '--sustain', '0', '--checks', 'even,provocation']],
    [['limits', '--tokens']],
    [['limits', '--tokens', '--set', tokens]],
    [['limits', '--tokens', 'quick', '--set', tokens, '--price', '1/2']],
    [['cache', '--tokens', '5000']],
    [['check']],
    [['check', '--only', 'usage']],
    [['check', '--only', 'disconnects', '--no-cost']],
    [['capacity', 'FILE']],
    [['sweep', 'FILE']],
  ])('weir %j', async (words) => {
    const before = await charged();
    expect(await asked(words[0] === 'sweep' ? varied : scenario, words)).toMatchSnapshot();
    expect(await charged()).toBe(before);
  });
});

it('the gateway’s ledger shows a single chat', async () => {
  const before = await charged();
  await asked(`${scenario}warmUp: 0s\n`.replace('10s', '500ms'), ['run', 'FILE']);
  expect(await charged()).not.toBe(before);
});
