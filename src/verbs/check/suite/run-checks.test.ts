import { expect, it } from 'vitest';
import { CheckAnswer } from '../reading/check-answer.ts';
import { type CheckRequest, free } from '../reading/check-case.ts';
import { type CheckClient, CheckRun } from './run-checks.ts';

const wire = { method: 'GET', path: '/', headers: {}, body: null } as const;
const request: CheckRequest = {
  id: 'models',
  key: 'valid',
  base: 'versioned',
  cost: free,
  isSerial: true,
  onlyIfRefused: null,
  isStream: false,
  build: () => wire,
};

/** Sends a request to a server that first answers 429, with these headers. Returns what is said, and how long it took in ms. */
const limitedBy = async (headers: Readonly<Record<string, string>>) => {
  let now = 0;
  let sent = 0;
  const said: string[] = [];
  const client: CheckClient = {
    now: () => now,
    wall: () => now,
    sleep: async (length) => {
      now += length;
    },
    send: async () => {
      sent += 1;
      const received = {
        status: sent === 1 ? 429 : 200,
        headers: sent === 1 ? headers : {},
        body: Buffer.alloc(0),
        encoding: null,
        failure: null,
        took: 0,
        isLeftOpen: false,
      };
      return new CheckAnswer('id', received, wire, (text) => text);
    },
  };
  const run = new CheckRun(client, {
    target: {} as never,
    stopReason: () => null,
    say: (text) => void said.push(text),
  });
  await run.sendAll([{ request, wire }]);
  expect(run.answers.get('models')?.status).toBe(200);
  return { said, now };
};

it.each([
  ['as a 429 says', { 'retry-after': '7' }, 7000, 'waiting 7 s, as its answer says'],
  ['no more than its most after a 429', { 'retry-after': '3600' }, 65_000, 'waiting 65 s'],
  ['a quarter of a second after a 429', { 'retry-after-ms': '20' }, 250, 'waiting 1 s'],
  ['ten seconds where a 429 names no wait', {}, 10_000, 'waiting 10 s'],
])('the suite waits %s', async (_, headers, wait, words) => {
  const { said, now } = await limitedBy(headers);
  expect([said, now]).toEqual([[`the key is limited (429): ${words}`], wait]);
});
