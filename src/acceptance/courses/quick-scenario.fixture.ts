import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { type SettingsInput, testKey } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { type FinishedProgram, tempFile } from '../harness/weir-process.fixture.ts';

/** Whole courses of verbs in this process: the gateway listens in it, and no command starts another process. */

/** A short load without what needs another process: as JSON, which is YAML too. */
export const quickScenario = (changes: object = {}): string =>
  JSON.stringify({
    name: 'quick',
    traffic: [{ kind: 'chat', model: 'weir/small', prompt: { tokens: 10 }, maxTokens: 5 }],
    load: { kind: 'constant', rate: '40/s', duration: '300ms' },
    limits: 'none',
    grace: '5s',
    canary: false,
    ...changes,
  });

/** The path of a file with such a scenario, removed after the test. */
export const quickFile = (changes: object = {}): Promise<string> =>
  tempFile('quick.yaml', quickScenario(changes));

/** The environment of a command whose key the gateway knows. */
export const withKey = { WEIR_API_KEY: testKey(0) };

/** A gateway for all tests of a file, and command lines with its key. */
export const gatewayForFile = (settings: SettingsInput = {}) => {
  let mock: Mock | null = null;
  beforeAll(async () => {
    const at = milliseconds(1);
    const limits = { requestsPerMinute: null, tokensPerMinute: null };
    mock = await startMock({ ttft: at, gap: at, limits, ...settings }, realClock());
  });
  afterAll(() => mock?.close());
  return {
    mock: (): Mock => mock!,
    url: (): string => mock!.url,
    weir: (...words: readonly string[]): Promise<FinishedProgram> => weir(words, withKey),
  };
};

/** The paths of files in a folder, by their names. */
export const inFolder =
  (folder: string) =>
  (...names: readonly string[]): string =>
    join(folder, ...names);
