// @long 60 s
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import {
  openStubbornServer,
  stubbornTokens,
} from '../../acceptance/check/stubborn-server.fixture.ts';
import { readObservations } from '../../acceptance/harness/run-files.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { partialOf } from '../../model/observation/outcome.ts';
import { startNginx } from '../harness/debian-proxies.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort } from '../harness/server-process.ts';
import { startLlama } from './model-servers.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

const optionsIn = async () => {
  const folder = await tempFolder();
  return { port: await freePort(), folder, log: join(folder, 'log') };
};

interface LeftTraffic {
  readonly model: string;
  readonly maxTokens: number;
  readonly moments: readonly string[];
  readonly load: Readonly<Record<string, unknown>>;
}

/** Runs a scenario, half of whose streams are hung up on. */
const observedIn = async (
  url: string,
  { model, maxTokens, moments, load }: LeftTraffic,
): Promise<readonly Observation[]> => {
  const scenario = {
    target: url,
    wire: { proxy: 'none' },
    limits: 'none',
    traffic: moments.map((after) => ({
      name: after.replace(' ', '-'),
      kind: 'chat-stream',
      model,
      prompt: 'hello there',
      maxTokens,
      cancel: { share: '50%', after },
    })),
    load,
  };
  const folder = await tempFolder();
  const file = join(folder, 'observations.jsonl');
  await runScenario(scenario, folder, ['--observations', file]);
  return readObservations(file);
};

const ofKind = (observations: readonly Observation[], kind: string): readonly Observation[] =>
  observations.filter(({ outcome }) => outcome.kind === kind);

/** The tokens that came of a stream before the client hung up. */
const receivedOf = ({ outcome }: Observation): number => {
  const answer = partialOf(outcome);
  return answer?.kind === 'chat-stream' ? answer.tokenInstants.length : 0;
};

it.for([
  ['directly', null],
  ['behind nginx', 'proxy_buffering off;'],
  ['behind nginx, which buffers', 'proxy_buffering on;'],
] as const)(
  'a server that never stops, %s, has those streams as left that Weir hung up on, and generates all of each',
  async ([, lines], context) => {
    const stub = await openStubbornServer();
    try {
      const options = await optionsIn();
      const proxy =
        lines === null
          ? { url: stub.url, stop: () => Promise.resolve() }
          : await orSkip(context, () =>
              startNginx(options, {
                gateway: stub.address,
                server: `${lines} location / { proxy_pass http://gateway; }`,
              }),
            );
      try {
        const observations = await observedIn(proxy.url, {
          model: 'm',
          maxTokens: stubbornTokens,
          moments: ['5 tokens', '300ms', 'sent', 'headers'],
          load: { kind: 'constant', rate: '15/s', duration: '3s' },
        });
        const cancelled = new Map(
          ofKind(observations, 'cancelled').map((each) => [each.requestId, each]),
        );
        expect(cancelled.size).toBeGreaterThan(10);
        expect(ofKind(observations, 'completed').length).toBe(observations.length - cancelled.size);
        const known = new Set(observations.map(({ requestId }) => requestId));
        const streams = stub.streams.filter(({ id }) => known.has(id));
        const left = streams.filter(({ writtenWhenLeft }) => writtenWhenLeft !== null);
        // What was hung up on as soon as it was sent may not have come to the server at all.
        const unknown = [...cancelled.values()].filter(
          ({ requestId }) => !streams.some(({ id }) => id === requestId),
        );
        expect(
          unknown.filter(
            ({ traffic, entry }) => traffic !== 'chat-stream' || !String(entry).includes('sent'),
          ),
        ).toEqual([]);
        expect(left.map(({ id }) => id).toSorted()).toEqual(
          [...cancelled.keys()]
            .filter((id) => !unknown.some(({ requestId }) => requestId === id))
            .toSorted(),
        );
        for (const { id, written, writtenWhenLeft } of left) {
          expect(written).toBe(stubbornTokens);
          expect(receivedOf(cancelled.get(id)!)).toBeLessThanOrEqual(writtenWhenLeft!);
        }
      } finally {
        await proxy.stop();
      }
    } finally {
      stub.close();
    }
  },
);

it('llama.cpp frees its only slot at a hang-up, and computes little more than what came, by its metrics', async (context) => {
  await orSkip(context, async () => {
    // A server that is started with a chat template has one slot.
    const template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}";
    const llama = await startLlama(await optionsIn(), [], template, true);
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(new URL('/metrics', llama.url))).text();
      return Number(new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    };
    try {
      const before = await metric('n_decode_total');
      const maxTokens = 60;
      const observations = await observedIn(llama.url, {
        model: 'random',
        maxTokens,
        moments: ['5 tokens', '12 tokens'],
        load: { kind: 'iterations', users: 1, iterations: 16 },
      });
      // Its slot computes a token at a time, and the first one with the prompt.
      const computed = (await metric('n_decode_total')) - before;
      expect(await metric('requests_processing')).toBe(0);
      expect(await metric('requests_deferred')).toBe(0);
      const completed = ofKind(observations, 'completed');
      const cancelled = ofKind(observations, 'cancelled');
      expect(completed.length + cancelled.length).toBe(16);
      expect(cancelled.length).toBeGreaterThan(3);
      const received = cancelled.reduce((sum, each) => sum + receivedOf(each), 0);
      const ofHangUps = computed - completed.length * maxTokens;
      const said = JSON.stringify({
        computed,
        completed: completed.length,
        cancelled: cancelled.length,
        received,
      });
      expect(ofHangUps, said).toBeGreaterThanOrEqual(received);
      expect(ofHangUps, said).toBeLessThan(received + 5 * cancelled.length);
    } finally {
      await llama.stop();
    }
  });
});
