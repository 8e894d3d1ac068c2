import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Mock } from '../../mock/gateway/start.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  type FinishedProgram,
  tempFolder,
} from '../harness/weir-process.fixture.ts';
import { mistakenCommands, mistakenScenarios } from './mistakes.fixture.ts';

cleanUpAfterEach();

const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((row) => {
      const [mistake = '', words = ''] = row.split(' | ');
      return { mistake, words };
    });

const traffic = 'traffic: [{ kind: chat, model: weir/small, maxTokens: 5 }]\n';
const load = 'load: { kind: constant, rate: 2/s, duration: 1s }\n';
const fileName = /^(?:sub|nofolder|[\w/]+\.(?:yaml|xml))$/;
const keys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NOKEY: {},
  BADKEY: { WEIR_API_KEY: 'sk-wrong' },
  QUOTED: { WEIR_API_KEY: '"sk-weir-test"' },
  BEARER: { WEIR_API_KEY: 'Bearer sk-weir-test' },
  NAMED: { WEIR_API_KEY: '$OPENAI_API_KEY' },
  PLACEHOLDER: { WEIR_API_KEY: 'your-api-key' },
};

describe('mistakes of beginners', () => {
  let mock: Mock;
  let folder: string;
  beforeEach(async () => {
    mock = await openMock({ limits: { requestsPerMinute: null, tokensPerMinute: null } });
    folder = await tempFolder();
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'good.yaml'), `target: ${mock.url}\n${traffic}${load}`);
  });

  const filled = (text: string): string =>
    text
      .replaceAll('$URL', mock.url)
      .replaceAll('$ROOT', mock.url.replace('/v1', ''))
      .replaceAll('$HTTPS', mock.url.replace('http', 'https'))
      .replace('RUN', `run --target ${mock.url} --model weir/small`);

  const runWords = (command: string): Promise<FinishedProgram> => {
    const [first = '', ...others] = filled(command).split(' ');
    const environment = keys[first] ?? { WEIR_API_KEY: 'sk-weir-test' };
    const words = first in keys ? others : [first, ...others];
    const placed = words.map((word) => (fileName.test(word) ? join(folder, word) : word));
    const isRun = placed[0] === 'run' && !placed.includes('--out');
    return weir([...placed, ...(isRun ? ['--out', join(folder, 'out')] : [])], environment);
  };

  /** The mock counts neither looks before a load nor lists of models as received. */
  const expectNoLoad = async (): Promise<void> => {
    const { received = 0 } = await countersOf(mock);
    expect(received).toBe(0);
  };

  it('are more than sixty of each kind', () => {
    expect(rowsOf(mistakenCommands).length).toBeGreaterThan(60);
    expect(rowsOf(mistakenScenarios).length).toBeGreaterThanOrEqual(60);
  });

  it.each(rowsOf(mistakenCommands))(
    'are named with their repair: weir $mistake',
    async ({ mistake, words }) => {
      const { code, stderr } = await runWords(mistake);
      expect(stderr).toContain(filled(words));
      expect(code).toBe(2);
      await expectNoLoad();
    },
  );

  it.each(rowsOf(mistakenScenarios))(
    'are named with place and repair: $mistake',
    async ({ mistake, words }) => {
      const written = mistake.replaceAll('⏎', '\n').replaceAll('→', '\t');
      const [, name = 's.yaml', text = ''] = /^(?:(s\.\w+): )?(.*)$/s.exec(written)!;
      const parts = [
        text.startsWith('target') ? '' : `target: ${mock.url}\n`,
        `${text}\n`,
        text.startsWith('traffic') ? '' : traffic,
        /^loads?:/.test(text) ? '' : load,
      ];
      const isWhole = name !== 's.yaml' || /^[-#]/.test(text);
      const file = join(folder, name);
      await writeFile(file, isWhole ? text : parts.join(''));
      const { code, stderr } = await weir(['run', file, '--out', join(folder, 'out')], {
        WEIR_API_KEY: 'sk-weir-test',
      });
      expect(stderr).toContain(words);
      if (name !== 's.js') expect(stderr).toMatch(/s\.\w+:\d+:\d+: /);
      expect(code).toBe(2);
      await expectNoLoad();
    },
  );
});
