import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { emit } from './emit.ts';
import type { LauncherName } from './launcher-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-emit-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const plain = `name: Nightly run!
load: { kind: constant, rate: 40/s, duration: 10s }
traffic: [{ kind: models }]
`;
const rich = `${plain}target: http://[2001:db8::1]:8080/v1
keys:
  - { name: a, key: '\${env:GATEWAY_KEY}' }
  - { name: b, key: '\${secret:other-key}' }
  - { name: c, key: '\${secret:/run/secrets/third}' }
  - { name: d, key: '\${secret:/elsewhere/fourth}' }
headers: { x-team: '\${env:GATEWAY_KEY}' }
`;

const usual = {
  slices: 3,
  onLost: 'stop',
  natsImage: 'nats:2',
  cpus: 2,
  memoryGiB: 1.5,
  target: undefined,
  image: undefined,
  rendezvous: undefined,
} as const;

const emitted = async (
  launcher: LauncherName,
  text: string,
  more: object = {},
  file = 'my run.yaml',
) => {
  const scenario = join(folder, file);
  writeFileSync(scenario, text);
  const { host, warned, printed } = fakeHost();
  await emit({ launcher, scenario, ...usual, ...more }, host);
  const style = { colour: false, width: 80 };
  const manifest = printed.map((each) => each.text(style)).join('');
  return { manifest: manifest.replaceAll(weirVersion(), 'VERSION'), warned };
};

describe.each(['k8s', 'slurm', 'swarm'] as const)('the manifest for %s', (launcher) => {
  it('of a scenario without a target or keys, with a server beside its workers', async () => {
    const { manifest, warned } = await emitted(launcher, plain);
    expect(manifest).toMatchSnapshot();
    expect(warned).toEqual([
      'the scenario has no target, so each worker loads a reference gateway of its own; --target https://host/v1 names yours',
    ]);
  });

  it('of one with keys, secrets, a target and a rendezvous', async () => {
    const more = {
      target: undefined,
      rendezvous: 'nats://meet.example:5222',
      image: 'registry.example/weir:1',
      onLost: 'continue',
      slices: 1,
    };
    const { manifest, warned } = await emitted(launcher, rich, more);
    expect(manifest).toMatchSnapshot();
    expect(warned).toEqual([]);
  });
});

it('names a target of the command line, with the usual port of its scheme', async () => {
  const ofTarget = async (target: string): Promise<string> =>
    (await emitted('k8s', plain, { target })).manifest;
  expect(await ofTarget('https://host.example/v1')).toMatch(/--target=https:\/\/host.example\/v1/);
  expect(await ofTarget('https://host.example/v1')).toContain('port: 443');
  expect(await ofTarget('http://host.example/v1')).toContain('port: 80 ');
  expect(await ofTarget('http://10.1.2.3:81/v1')).toMatch(/10\.1\.2\.3\/32/);
});

it('refuses a scenario that is no text, and one with several targets', async () => {
  await expect(emitted('k8s', '', {}, 'run.ts')).rejects.toThrow(
    /run\.ts: expected a scenario file of YAML or JSON, since the manifest contains its text/,
  );
  const several = `name: two
traffic: [{ kind: models }]
targets: { a: http://a/v1, b: http://b/v1 }
populations:
  - { name: x, target: a, load: { kind: constant, rate: 1/s, duration: 10s } }
  - { name: y, target: b, load: { kind: constant, rate: 1/s, duration: 10s } }
`;
  await expect(emitted('k8s', several)).rejects.toThrow(/this scenario names a and b\. Start/);
});

it('warns of a key that a command prints', async () => {
  const { warned } = await emitted(
    'slurm',
    `${plain}target: http://h/v1\nkeys: [{ name: a, key: '\${command:pass weir}' }]\n`,
  );
  expect(warned).toEqual([expect.stringMatching(/^the scenario takes a key from a command/)]);
});
