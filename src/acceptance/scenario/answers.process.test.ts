// @long 80 s
import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  type FinishedProgram,
  tempFolder,
} from '../harness/weir-process.fixture.ts';
import { codeSpans, documentText } from '../package/documents.fixture.ts';

cleanUpAfterEach();

const scenario = (address: string): string => `
target: ${address}
traffic: [{ kind: chat-stream, model: weir/small, prompt: { tokens: 20 }, maxTokens: 5 }]
load: { kind: constant, rate: 20/s, duration: 300ms }
limits: { requestsPerMinute: 6000 }
prices: { weir/small: { input: 1, output: 2 } }
objectives: [errorRate < 50%]
`;

/** How commands end: a busy machine makes a run of a third of a second invalid, and some ask before they spend. */
const endings: readonly (readonly [command: RegExp, codes: readonly number[], words: string])[] = [
  [/^weir (?:capacity|sweep|limits|check|recovery) /, [2], 'needs a confirmation'],
  [/^weir doctor /, [0, 12], ''],
  [/ --strict$/, [12, 13], ''],
  // Six pairs decide nothing, or it asks first.
  [/ --paired /, [2, 12, 13], 'Budget'],
  [/ reports\/main/, [0, 11, 12], ''],
  [/ --against /, [0, 11, 12], ''],
  [/^weir (?:run|report) /, [0, 12], 'Result:'],
  [/^weir/, [0], ''],
];

/** What would take minutes takes a moment. */
const shortened: readonly (readonly [RegExp, string])[] = [
  [/--duration \d+s/, '--duration 1100ms'],
  [/--iterations 100/, '--iterations 8'],
  [/--repeat 5/, '--repeat 2 --pause 0s'],
  [/warmUp=1s/, 'warmUp=100ms'],
  [/atMost=20m/, 'atMost=500ms'],
  [/calibrate --quick/, 'calibrate --quick --streams 1 --rate 5 --workers 1'],
];

const rows = [...documentText('scenarios/answers.md').matchAll(/^\| (.+\?) \| (.+) \|$/gm)].map(
  ([, question = '', answer = '']) => ({ question, answer }),
);
const commands = [
  ...new Set(
    rows.flatMap(({ answer }) => codeSpans(answer)).filter((code) => code.startsWith('weir ')),
  ),
];

describe('the page of answers', () => {
  let mock: Mock;
  beforeAll(async () => {
    const none = { requestsPerMinute: null, tokensPerMinute: null };
    mock = await startMock({ limits: none }, realClock());
  });
  afterAll(() => mock.close());

  it('has at least forty, each with code or a link', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40);
    expect(rows.filter(({ answer }) => !/`.+`|\]\(/.test(answer))).toEqual([]);
    expect(commands.length).toBeGreaterThan(38);
  });

  /** A folder with the files that the commands name. */
  const prepareFolder = async (): Promise<string> => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'weir.yaml'), scenario(mock.url));
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    await writeFile(join(folder, 'client.key'), key);
    await writeFile(join(folder, 'client.pem'), cert);
    await copyFile(join(folder, 'client.pem'), join(folder, 'ca.pem'));
    return folder;
  };

  const runIn = (folder: string, command: string): Promise<FinishedProgram> => {
    const short = shortened.reduce((text, [from, to]) => text.replace(from, to), command);
    const words = short
      .replaceAll('https://gateway.example/v1', mock.url)
      .split(' ')
      .slice(1)
      .map((word) =>
        /^(?:weir\.yaml|\w+\.(?:csv|md|xml)|reports\/\w+)$/.test(word) ? join(folder, word) : word,
      );
    const [verb = ''] = words;
    const out = ['run', 'calibrate'].includes(verb) && !words.includes('--out');
    // A client's certificate is for https only, and nothing is sent to validate.
    const target = command.includes('clientCert') ? ['--target', 'https://127.0.0.1:9/v1'] : [];
    return weir([...words, ...target, ...(out ? ['--out', join(folder, 'reports/new')] : [])], {
      WEIR_API_KEY: 'sk-weir-test',
      GATEWAY_KEY: 'sk-weir-other',
      WEIR_HISTORY: join(folder, 'history.db'),
    });
  };

  it.each(commands)('is right about %s', async (command) => {
    const folder = await prepareFolder();
    if (/(?<!--out )reports\/(?:evening|main)/.test(command)) {
      await runIn(folder, 'weir run weir.yaml --out reports/main');
      await cp(join(folder, 'reports/main'), join(folder, 'reports/evening'), { recursive: true });
    }
    const ended = await runIn(folder, command);
    const [, codes, words] = endings.find(([pattern]) => pattern.test(command))!;
    expect(codes, ended.stderr).toContain(ended.code);
    expect(`${ended.stdout}${ended.stderr}`).toContain(words);
  });
});
