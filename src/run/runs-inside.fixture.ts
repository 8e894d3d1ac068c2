import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../mock/clock/real-clock.ts';
import { startMock } from '../mock/gateway/start.ts';
import { testKey } from '../mock/settings/settings.ts';
import { sumOutcomes } from '../model/measures/outcome-counts.ts';
import { milliseconds } from '../model/quantity.ts';
import type { RunRequest } from './input/run-request.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { runOnce } from './run.ts';

/**
 * Test support: runs in this process. The gateway listens in it, answers at once and has no limits. The self-test is
 * off, since it needs a process.
 */

export const insideKeys = { WEIR_API_KEY: testKey(0) };

export const insideChat = { kind: 'chat', model: 'weir/small', maxTokens: 5 };
export const insideScenario = { name: 'inside', traffic: [insideChat], grace: '5s', canary: false };

export const openInside = async () => {
  const at = milliseconds(1);
  const limits = { requestsPerMinute: null, tokensPerMinute: null };
  const mock = await startMock({ ttft: at, gap: at, limits }, realClock());
  const folder = await mkdtemp(join(tmpdir(), 'weir-run-'));
  return {
    mock,
    folder,
    run: async (scenario: object, more: Partial<RunRequest> = {}) => {
      const fake = fakeHost(insideKeys);
      const request = runRequest({ ...insideScenario, ...scenario }, mock.url, more);
      const finished = await runOnce(request, fake.host);
      return { ...fake, finished, outcomes: sumOutcomes(finished.result.groups) };
    },
    close: async () => {
      await mock.close();
      await rm(folder, { recursive: true });
    },
  };
};
export type Inside = Awaited<ReturnType<typeof openInside>>;
