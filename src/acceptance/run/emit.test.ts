// @gate 1 s
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { fakePlan, constantLoad } from '../../engine/fake-run.fixture.ts';
import type { PrintedOutcome } from '../../run/input/host.ts';
import { emit } from '../../verbs/emit/emit.ts';
import { type Launch, launchName } from '../../verbs/emit/launch.ts';
import { quotedWord } from '../../scenario/text/quoted-word.ts';
import { manifestFor } from '../../verbs/emit/manifest.ts';

const launch: Launch = {
  name: 'weir-evening',
  plan: fakePlan(constantLoad(10, 60_000), {
    name: 'Evening',
    target: { kind: 'url', url: 'https://10.1.2.3:8443/v1' },
    keys: [
      { name: 'blue', template: '${env:BLUE_KEY}', weight: 1 },
      { name: 'green', template: '${secret:green.key}', weight: 1 },
    ],
  }),
  file: 'evening.yaml',
  text: "name: Evening\nprompt: it's $HOME\n",
  target: null,
  slices: 3,
  onLost: 'stop',
  image: 'weir:0.1.0',
  rendezvous: null,
  natsImage: 'nats:2.11.10',
  cpus: 2,
  memoryGiB: 2,
  version: '0.1.0',
};

/** A resource, as far as the tests read it. */
type Resource = any; // oxlint-disable-line typescript/no-explicit-any -- what was parsed is looked at, not used

const documents = async (changes: Partial<Launch> = {}): Promise<readonly Resource[]> =>
  parseAllDocuments(await manifestFor('k8s', { ...launch, ...changes })).flatMap((each) =>
    each.toJS() === null ? [] : each.toJS(),
  );

const found = async (kind: string, name: string, changes: Partial<Launch> = {}) =>
  (await documents(changes)).find((each) => each.kind === kind && each.metadata.name === name);

describe('manifests for Kubernetes', () => {
  it('start each worker once, on its own index', async () => {
    const { spec } = await found('Job', 'weir-evening-worker');
    expect(spec).toMatchObject({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimit: 0,
      activeDeadlineSeconds: 961,
    });
    expect(spec.template.spec).toMatchObject({
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname' }],
    });
  });

  it('give every container no right, a read-only root, and as much as it may use', async () => {
    const containers = (await documents()).flatMap(
      ({ spec }) => spec?.template?.spec.containers ?? [],
    );
    expect(containers.map(({ name }) => name)).toEqual(['nats', 'coordinator', 'worker']);
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits).toEqual(resources.requests);
    }
  });

  it('hold keys by reference, and only for the workers', async () => {
    const [worker] = (await found('Job', 'weir-evening-worker')).spec.template.spec.containers;
    expect(worker.env).toContainEqual({
      name: 'BLUE_KEY',
      valueFrom: { secretKeyRef: { name: 'weir-evening-keys', key: 'BLUE_KEY' } },
    });
    expect(worker.volumeMounts).toContainEqual({
      name: 'secrets',
      mountPath: '/run/secrets',
      readOnly: true,
    });
    expect(JSON.stringify(await found('Job', 'weir-evening-coordinator'))).not.toContain('KEY');
  });

  it('let workers reach the target, names and the rendezvous, and nothing reach them', async () => {
    const { spec } = await found('NetworkPolicy', 'weir-evening-worker');
    expect(spec.ingress).toEqual([]);
    expect(spec.egress).toEqual([
      { ports: [53, 53].map((port, n) => ({ protocol: n === 0 ? 'UDP' : 'TCP', port })) },
      {
        to: [{ podSelector: { matchLabels: expect.objectContaining({}) } }],
        ports: [{ protocol: 'TCP', port: 4222 }],
      },
      { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ protocol: 'TCP', port: 8443 }] },
    ]);
  });

  it('bring no server where a rendezvous is named', async () => {
    const changes = { rendezvous: 'nats://nats.example:4223' };
    expect((await documents(changes)).map(({ kind }) => kind)).not.toContain('StatefulSet');
    const { spec } = await found('NetworkPolicy', 'weir-evening-coordinator', changes);
    expect(spec.egress.at(-1)).toEqual({ ports: [{ protocol: 'TCP', port: 4223 }] });
  });

  it('hold the scenario’s text as it is', async () => {
    expect((await found('ConfigMap', 'weir-evening-scenario')).data).toEqual({
      'evening.yaml': launch.text,
    });
  });
});

describe('scripts', () => {
  it.each([
    ['Slurm', 'bash', 'slurm'],
    ['Swarm', 'sh', 'swarm'],
  ] as const)(
    'for %s are what a shell reads, without a value of a secret',
    async (_, shell, launcher) => {
      const script = await manifestFor(launcher, launch);
      const { status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(script).toContain('BLUE_KEY');
    },
  );

  it('quote what a shell would change', () => {
    for (const text of ["it's", 'a b', '$HOME', '`x`', 'plain-1.yaml', '']) {
      const { stdout } = spawnSync('sh', ['-c', `printf %s ${quotedWord(text)}`], {
        encoding: 'utf8',
      });
      expect(stdout).toBe(text);
    }
  });

  it.each([
    [10, 'whatever the workers’ is', 'return 7'],
    [2, 'without waiting for workers that it never met', 'exec sleep 50'],
  ])('end with the coordinator’s exit code %i, %s', async (code, _, workers) => {
    const script = await manifestFor('slurm', { ...launch, plan: fakePlan(constantLoad(1, 1000)) });
    const fake = `srun() { ${workers}; }; weir() { return ${code}; };`;
    const { status } = spawnSync('bash', ['-c', `${fake} ${script}`], {
      timeout: 20_000,
      env: {
        PATH: process.env['PATH'],
        SLURM_JOB_ID: '1',
        SLURM_SUBMIT_DIR: '/tmp',
        WEIR_API_KEY: 'k',
      },
    });
    expect(status).toBe(code);
  });
});

describe('a secret that is a file', () => {
  const written = { '/run/secrets/red.key': 'by its path', 'red.key': 'by its bare name' };

  it.each(Object.entries(written))('%s, %s, is what every launcher gives', async (path) => {
    const { plan: usual } = launch;
    const keys = [{ name: 'red', template: `\${secret:${path}}`, weight: 1 }];
    const changed = { ...launch, plan: { ...usual, keys } };
    expect(await manifestFor('k8s', changed)).toContain(
      'create secret generic weir-evening-keys --from-file=red.key\n',
    );
    expect(await manifestFor('k8s', changed)).toContain('mountPath: /run/secrets\n');
    const swarm = await manifestFor('swarm', changed);
    expect(swarm).toContain('docker secret create weir-evening-red.key red.key\n');
    expect(swarm).toContain('--secret source=weir-evening-red.key,target=red.key');
    expect(await manifestFor('slurm', changed)).toContain(
      'Every node needs the file /run/secrets/red.key.',
    );
  });

  it('elsewhere is not taken for one of that folder', async () => {
    const keys = [{ name: 'red', template: '${secret:./red.key}', weight: 1 }];
    const changed = { ...launch, plan: { ...launch.plan, keys } };
    expect(await manifestFor('k8s', changed)).not.toContain('/run/secrets');
  });
});

it.each([
  ['Evening', 'weir-evening'],
  ['  --Größe 1.5 / x', 'weir-gr-e-1-5-x'],
  ['日本', 'weir-run'],
])('a name that every launcher accepts: %s', (plan, name) => {
  expect(launchName(plan)).toBe(name);
});

/** Emits a scenario for Kubernetes; returns what is printed and the warnings. */
const emitted = async (scenario: string, target: string | undefined) => {
  const warnings: string[] = [];
  const printed: string[] = [];
  const ignore = (): void => undefined;
  const printer = {
    say: ignore,
    warn: (text: string) => warnings.push(text),
    print: ({ text }: PrintedOutcome) => printed.push(text({ colour: false, width: 100 })),
    close: ignore,
    listFiles: ignore,
    screen: null,
  };
  const host = { environment: {}, printer, onStop: () => ignore, ask: null };
  const request = { ...launch, rendezvous: undefined, launcher: 'k8s', scenario, target } as const;
  await emit(request, host);
  return { warnings, printed };
};

describe('weir emit', () => {
  it('warns of a scenario without a target, and not of one', async () => {
    const named = await emitted('scenarios/chat.yaml', 'https://host.example/v1');
    expect(named.warnings).toEqual([]);
    const unnamed = await emitted('scenarios/chat.yaml', undefined);
    expect(unnamed.warnings).toEqual([expect.stringContaining('has no target')]);
    expect([...named.printed, ...unnamed.printed]).toHaveLength(2);
  });

  it.each([
    ['${command:gcloud auth print-access-token; lifetime=50m}', 1],
    ['${env:WEIR_API_KEY}', 0],
  ])('warns of a key that is %s so many times: %i', async (key, times) => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-emit-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 's.yaml');
    const scenario = {
      target: 'https://host.example/v1',
      keys: key,
      traffic: [{ kind: 'models' }],
      load: { kind: 'constant', rate: '5/s', duration: '3s' },
    };
    await writeFile(file, JSON.stringify(scenario));
    const { warnings } = await emitted(file, undefined);
    expect(warnings.filter((text) => text.includes('takes a key from a command'))).toHaveLength(
      times,
    );
  });
});
