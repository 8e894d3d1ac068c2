import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openMock } from '../harness/open-mock.fixture.ts';
import { completedBy, joinedIn } from '../harness/rendezvous-run.fixture.ts';
import { startPods } from '../harness/manifest-pods.fixture.ts';
import { builtWeirImage, outputInCheckout, runInCheckout } from '../harness/weir-image.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

/**
 * What `weir emit` prints, with the image of Weir: the commands for Swarm on a swarm of this machine alone, which the test
 * begins and leaves where there is none; the pods of the manifest for Kubernetes with Docker alone.
 */

cleanUpAfterEach();
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const { image, engine } = await builtWeirImage();
const natsImage = `weir-nats:test-${process.pid}`;
const scenarioName = `launch-test-${process.pid}`;
const launch = `weir-${scenarioName}`;

/** An image of Debian's NATS server, as NATS's own is used: its words are the server's options. */
const buildNats = async (): Promise<void> => {
  const folder = await tempFolder();
  const base =
    process.env['WEIR_NODE_IMAGE'] ?? (await outputInCheckout('bash', 'src/mock/base-image.sh'));
  await copyFile('/usr/sbin/nats-server', join(folder, 'nats-server'));
  const lines = [`FROM ${base}`, 'COPY nats-server /', 'ENTRYPOINT ["/nats-server"]'];
  await writeFile(join(folder, 'Dockerfile'), lines.join('\n'));
  await outputInCheckout('docker', 'build', '--tag', natsImage, folder);
};

beforeAll(async () => {
  if (engine) await buildNats();
});
afterAll(async () => {
  if (engine) await runInCheckout('docker', 'rmi', natsImage);
});

const containersOf = async (service: string, ...options: readonly string[]): Promise<string[]> => {
  const label = `label=com.docker.swarm.service.name=${launch}-${service}`;
  const ids = await outputInCheckout('docker', 'ps', '--quiet', '--filter', label, ...options);
  return ids.split('\n').filter((id) => id !== '');
};

/** Sees to it that this machine is a swarm's manager. What the test put into the swarm goes with it, and the swarm if the test began it. */
const openSwarm = async (): Promise<void> => {
  const format = '{{.Swarm.LocalNodeState}} {{.Swarm.ControlAvailable}}';
  const state = await outputInCheckout('docker', 'info', '--format', format);
  const isNew = state === 'inactive false';
  if (!isNew && state !== 'active true')
    throw new Error(
      `this machine is in a swarm that it does not manage (${state}): leave it first`,
    );
  const isThere = async (): Promise<boolean> =>
    (await runInCheckout('docker', 'network', 'inspect', 'docker_gwbridge')).code === 0;
  const hadBridge = await isThere();
  if (isNew) await outputInCheckout('docker', 'swarm', 'init', '--advertise-addr', '127.0.0.1');
  const parts = ['nats', 'coordinator', 'worker'];
  onTestFinished(async () => {
    await runInCheckout('docker', 'service', 'rm', ...parts.map((part) => `${launch}-${part}`));
    await runInCheckout('docker', 'secret', 'rm', `${launch}-blue_key`);
    await runInCheckout('docker', 'config', 'rm', `${launch}-scenario`);
    if (isNew) await runInCheckout('docker', 'swarm', 'leave', '--force');
    const left = await Promise.all(parts.map((part) => containersOf(part, '--all')));
    if (left.flat().length > 0) await runInCheckout('docker', 'rm', '-fv', ...left.flat());
    await runInCheckout('docker', 'network', 'rm', launch);
    if (!hadBridge) await runInCheckout('docker', 'network', 'rm', 'docker_gwbridge');
  });
};

const logsOf = async (service: string): Promise<string> => {
  const { stdout, stderr } = await runInCheckout(
    'docker',
    'service',
    'logs',
    '--raw',
    `${launch}-${service}`,
  );
  return stdout + stderr;
};

/** Waits until a service's log has `text`, for at most a minute and a half. */
const logged = async (service: string, text: string): Promise<string> => {
  for (const until = performance.now() + 90_000; ; await sleep(500)) {
    const log = await logsOf(service);
    if (log.includes(text)) return log;
    if (performance.now() > until) throw new Error(`${service} does not log ${text}: ${log}`);
  }
};

const rate = 60;

/** This machine's address on the engine's bridge. An engine that has just been installed names the subnet only, whose first one it is. */
const bridgeAddress = async (): Promise<string> => {
  const format = '{{with index .IPAM.Config 0}}{{or .Gateway .Subnet}}{{end}}';
  const said = await outputInCheckout('docker', 'network', 'inspect', '--format', format, 'bridge');
  return said.replace(/\.0\/\d+$/, '.1');
};

/** What `weir emit` prints for a load of so many seconds, and the gateway that it goes to. */
const emitted = async (launcher: 'k8s' | 'swarm', seconds: number, ...words: string[]) => {
  const host = await bridgeAddress();
  const mock = await openMock({ host, limits: { requestsPerMinute: null } });
  const scenario = `
name: ${scenarioName}
target: ${mock.url}
keys: [{ name: blue, key: '\${env:BLUE_KEY}' }]
traffic: [{ kind: models }]
load: { kind: constant, rate: ${rate}/s, duration: ${seconds}s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;
  const file = await tempFile('evening.yaml', scenario);
  const images = [`--image=${image}`, `--nats-image=${natsImage}`, '--cpus=0.3', '--memory=0.5'];
  const { stdout, stderr } = await weir([
    'emit',
    launcher,
    file,
    '--slices=3',
    ...images,
    ...words,
  ]);
  expect(stderr).toBe('');
  return { mock, manifest: stdout };
};

/** Starts what `weir emit swarm` prints; returns the gateway of its load. */
const startJob = async (seconds: number) => {
  const { mock, manifest } = await emitted('swarm', seconds, '--on-lost=degrade');
  const key = await tempFile('key', 'sk-weir-test');
  await outputInCheckout('docker', 'secret', 'create', `${launch}-blue_key`, key);
  await outputInCheckout('sh', await tempFile('job.sh', manifest));
  return mock;
};

it('tasks of the job that are ended by force start again in vain: their slices are taken, and the other one goes on to a report', async () => {
  const seconds = 25;
  await openSwarm();
  const mock = await startJob(seconds);
  await logged('coordinator', 'all 3 slices are ready');
  while ((await completedBy(mock)) < 2 * rate) await sleep(100);
  const log = await logsOf('worker');
  expect([0, 1, 2].filter((n) => !log.includes(`This worker has slice ${n}/3`))).toEqual([]);
  // Swarm starts a failed task again when the next one fails.
  for (const victim of (await containersOf('worker')).slice(1)) {
    await outputInCheckout('docker', 'kill', victim);
    await sleep(1000);
  }
  const before = await completedBy(mock);
  await logged('worker', 'is taken: this worker sends nothing');
  await logged('coordinator', 'Result: /work/report/result.json');
  const folder = await tempFolder();
  const [coordinator = ''] = await containersOf('coordinator', '--all');
  await outputInCheckout('docker', 'cp', `${coordinator}:/work/report`, folder);
  const { result, completed } = await joinedIn(join(folder, 'report'));
  expect(result.slices).toHaveLength(1);
  expect(result.partial).toMatch(/slice \d\/3 was lost .*slice \d\/3 was lost/);
  const share = (rate * seconds) / 3;
  expect(completed).toBe(share);
  // Whatever else the gateway has seen came before the two were ended.
  expect(await completedBy(mock)).toBeLessThanOrEqual(share + before);
  expect(share + before).toBeLessThan(2 * share);
  expect(await outputInCheckout('docker', 'wait', coordinator)).toBe('3');
});

it('the pods of weir emit k8s run as the manifest restricts them: to one report, with the gateway’s counts', async () => {
  const seconds = 4;
  const { mock, manifest } = await emitted('k8s', seconds);
  const network = `${launch}-pods`;
  await outputInCheckout('docker', 'network', 'create', network);
  const started: string[] = [];
  onTestFinished(async () => {
    if (started.length > 0) await runInCheckout('docker', 'rm', '-fv', ...started);
    await runInCheckout('docker', 'network', 'rm', network);
  });
  const pods = await startPods(manifest, { network, secrets: { BLUE_KEY: 'sk-weir-test' } });
  started.push(...pods.values());
  const idOf = (name: string): string => pods.get(`${launch}-${name}`) ?? '';
  const coordinator = idOf('coordinator');
  const workers = [0, 1, 2].map((n) => idOf(`worker-${n}`));
  const codes = await Promise.all(workers.map((id) => outputInCheckout('docker', 'wait', id)));
  const code = Number(await outputInCheckout('docker', 'wait', coordinator));
  const { stdout, stderr } = await runInCheckout('docker', 'logs', coordinator);
  expect(codes, stdout + stderr).toEqual(['0', '0', '0']);
  expect([0, 12]).toContain(code);
  expect(stdout).toMatch(new RegExp(`models end to end +${rate * seconds} +100\\.0 %`));
  expect(stderr).toContain('Result: /work/report/result.json');
  expect(await completedBy(mock)).toBe(rate * seconds);
  const memory = await outputInCheckout(
    'docker',
    'inspect',
    '--format',
    '{{.HostConfig.Memory}}',
    workers[0]!,
  );
  expect(Number(memory)).toBe(512 * 2 ** 20);
});
