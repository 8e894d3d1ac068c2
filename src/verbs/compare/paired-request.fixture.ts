import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { chatAnswer, oneModelList, startAnswering } from '../../run/answering-server.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { comparePairs } from './compare-pairs.ts';

/** Test support: a small scenario for two sides, and paired comparisons of it. */

export const pairedScenario = {
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

export const sideKeys = { DIRECT: 'sk-direct', GATEWAY: 'sk-gateway', EMPTY: '' };

export type ComparePairsRequest = Parameters<typeof comparePairs>[0];

let files = 0;
/**
 * Compares the sides of the scenario after changing some fields. `message` is the exit, or the reason why there is
 * none.
 */
export const compareIn = async (
  folder: string,
  given: Partial<ComparePairsRequest>,
  changes: object = {},
  fake = fakeHost(sideKeys),
) => {
  const path = join(folder, `${(files += 1)}.json`);
  await writeFile(path, JSON.stringify({ ...pairedScenario, ...changes }));
  const request: ComparePairsRequest = {
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

/** Starts a server that answers chats, or refuses them with a status, and keeps their keys and bodies. */
export const openSide = async (status = 200) => {
  const chats: string[] = [];
  const { origin, close } = await startAnswering(({ authorization, text }) => {
    if (text === '') return [200, oneModelList];
    chats.push(`${authorization} ${text}`);
    return [status, chatAnswer];
  });
  onTestFinished(close);
  return { url: `${origin}/v1`, chats };
};

/** A load of six requests. */
export const shortLoad = { load: { kind: 'constant', rate: '100/s', duration: '60ms' } };
