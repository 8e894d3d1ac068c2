import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import {
  startMockContainer,
  findContainerEngine,
  loadContainerLibrary,
} from '../../platform/process/mock-container.ts';
import { Problem } from '../../platform/problem.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import {
  startWeir,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
// The first container waits for its image.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Engine = Awaited<ReturnType<typeof findContainerEngine>>['container']['dockerode'];

/** The engine, or why there is none; with `WEIR_REQUIRE_CONTAINER=1`, as in CI, that is an error. */
const lookForEngine = async (): Promise<Engine | string> => {
  try {
    return (await findContainerEngine(await loadContainerLibrary())).container.dockerode;
  } catch (error) {
    if (!(error instanceof Problem) || process.env['WEIR_REQUIRE_CONTAINER'] === '1') throw error;
    return error.message;
  }
};

let engine: Engine;
const base = process.env['WEIR_NODE_IMAGE'] ?? null;

const gateways = async (): Promise<readonly string[]> =>
  (await engine.listContainers({ all: true }))
    .filter(({ Image }) => Image.startsWith('weir-mock:'))
    .map(({ Id }) => Id);

/** The one gateway that started after `before` was listed. */
const newGateway = async (before: readonly string[]) => {
  const came = (await gateways()).filter((id) => !before.includes(id));
  expect(came).toHaveLength(1);
  return engine.getContainer(came[0]!);
};

let before: readonly string[];
let found: Engine | string;
beforeAll(async () => {
  found = await lookForEngine();
  if (typeof found === 'string') console.warn(`Skipped, since ${found}.`);
});
beforeEach(async (context) => {
  if (typeof found === 'string') context.skip(found);
  else engine = found;
  before = await gateways();
});
afterEach(async () => {
  if (typeof found === 'string') return;
  const left = (await gateways()).filter((id) => !before.includes(id));
  if (left.length > 0) throw new Error(`These containers were left behind: ${left.join(', ')}.`);
});

const scenario = (duration: string): string => `
name: contained
target: container
traffic:
  - { kind: chat-stream, model: weir/small, weight: 3, maxTokens: 5 }
  - { kind: chat, model: weir/small, weight: 2, maxTokens: 5 }
  - { kind: speech, model: weir-tts, weight: 2, text: The gate is open. }
  - { kind: transcription, model: weir/whisper, weight: 2 }
  - { kind: models, weight: 1 }
load: { kind: constant, rate: 30/s, duration: ${duration} }
mock: { ttft: 20ms, gap: 2ms }
`;

describe('the reference gateway in a container', () => {
  it('counts the same requests as a run of all five kinds', async () => {
    const out = await tempFolder();
    const { code, stdout } = await weirProcess([
      'run',
      await tempFile('s.yaml', scenario('3s')),
      '--out',
      out,
      '--details',
    ]);
    const result = await resultIn(out);
    expect(code).toBe(exitOf(result, 0));
    expect(result.plan.target).toEqual({ kind: 'container' });
    expect(stdout).toContain('ran in a container');
    const kinds = ['chat', 'chat-stream', 'speech', 'transcription', 'models'];
    const counted = kinds.map((kind) => ({
      kind,
      completed: result.groups
        .filter(({ labels }) => labels.traffic === kind)
        .reduce((sum, { outcomes }) => sum + outcomes.completed, 0),
    }));
    expect(counted).toEqual(
      kinds.map((kind) => ({ kind, completed: result.gatewayCounters?.[`completed.${kind}`] })),
    );
    expect(Math.min(...counted.map(({ completed }) => completed))).toBeGreaterThan(0);
    expect(result.gatewayCounters).toMatchObject({ completed: 60, limited: 30 });
  });

  it('can be reached from this machine only, and has the given settings', async () => {
    const settings = { keys: ['sk-weir-contained'], models: ['a/b'] };
    const mock = await startMockContainer({ settings, base, lifetime: milliseconds(60_000) });
    try {
      const { NetworkSettings, Config } = await (await newGateway(before)).inspect();
      const bound = Object.values(NetworkSettings.Ports).flat();
      expect(bound.map(({ HostIp }) => HostIp)).toEqual(['127.0.0.1', '127.0.0.1']);
      expect(Config.User).toBe('65532:65532');
      const ask = async (key: string): Promise<Response> =>
        fetch(`${mock.url}/models`, { headers: { authorization: `Bearer ${key}` } });
      expect((await ask('sk-weir-test')).status).toBe(401);
      expect(await (await ask('sk-weir-contained')).text()).toContain('a/b');
    } finally {
      await mock.stop();
    }
  });

  it('ends by itself when its lifetime is over', async () => {
    const mock = await startMockContainer({ settings: {}, base, lifetime: milliseconds(3000) });
    const container = await newGateway(before);
    expect(await container.wait({ condition: 'removed' })).toMatchObject({ StatusCode: 0 });
    await mock.stop();
  });

  it.each(['SIGTERM', 'SIGINT'])('ends at %s without waiting to be killed', async (signal) => {
    const mock = await startMockContainer({ settings: {}, base, lifetime: milliseconds(60_000) });
    const container = await newGateway(before);
    const removed = container.wait({ condition: 'removed' });
    await container.kill({ signal });
    expect(await removed).toMatchObject({ StatusCode: 0 });
    await mock.stop();
  });

  it('ends when its run is killed', async () => {
    const path = await tempFile('s.yaml', scenario('60s'));
    const { child, ended, waitForOutput } = startWeir(['run', path, '--out', await tempFolder()]);
    await waitForOutput('Ctrl-C ends it early');
    const removed = (await newGateway(before)).wait({ condition: 'removed' });
    child.kill('SIGKILL');
    await ended;
    expect(await removed).toMatchObject({ StatusCode: 0 });
  });

  it('reports why its image cannot be built, and what to do', async () => {
    const out = join(await tempFolder(), 'out');
    const { code, stderr } = await weirProcess(
      ['run', await tempFile('s.yaml', scenario('1s')), '--out', out],
      // Refused by the engine itself, without asking a registry.
      { WEIR_NODE_IMAGE: 'Upper-Case' },
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^weir: target: the image .* could not be built on Upper-Case: .*must be lowercase.*\n$/,
    );
    expect(stderr).toContain('WEIR_NODE_IMAGE="$(bash ');
  });

  it('says that it needs a container engine if none answers', async () => {
    const { code, stderr } = await weirProcess(
      ['run', await tempFile('s.yaml', scenario('1s')), '--out', await tempFolder()],
      { DOCKER_HOST: 'tcp://127.0.0.1:1' },
    );
    expect({ code, stderr: stderr.trim().split('\n') }).toEqual({
      code: 2,
      stderr: [expect.stringContaining('no container engine answers')],
    });
  });
});
