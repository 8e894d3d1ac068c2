import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { weir } from '../../acceptance/harness/weir-command.fixture.ts';
import { installedPython } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { outputOf } from '../harness/program-output.ts';

/** The schemas of Kubernetes itself, by PyPI's `kubernetes-validate`; unknown fields are refused. */

const program = `
import sys, yaml, kubernetes_validate
version, file = sys.argv[1:]
for resource in yaml.safe_load_all(open(file)):
    try:
        kubernetes_validate.validate(resource, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        sys.exit(f'{resource["kind"]}: {error.message}')
    print(resource['kind'])
`;

const scenario = `
name: evening
target: https://gateway.example/v1
keys:
  - { name: blue, key: '\${env:BLUE_KEY}' }
  - { name: green, key: '\${secret:green.key}' }
traffic: [{ kind: models }]
load: { kind: constant, rate: 1/s, duration: 1m }
`;

const versions = ['1.35', '1.36', '1.37'];

const inFolder = async (name: string, text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-emit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

const kindsBy = async (packages: string, version: string, manifest: string) => {
  const file = await inFolder('manifest.yaml', manifest);
  const { stdout } = await outputOf('python3', ['-c', program, version, file], {
    cwd: packages,
    env: { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return stdout.trim().split('\n');
};

it('the manifests of weir emit k8s are valid for three versions of Kubernetes', async (context) => {
  const packages = await orSkip(context, () =>
    installedPython('kubernetes-validate-pypi', 'launchers/kubernetes-validate.txt'),
  );
  const file = await inFolder('evening.yaml', scenario);
  const emit = ['emit', 'k8s', file, '--slices', '5'];
  for (const further of [[], ['--rendezvous', 'tls://nats.example']]) {
    const { code, stdout, stderr } = await weir([...emit, ...further]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const version of versions) {
      const kinds = await kindsBy(packages, version, stdout);
      expect(kinds).toContain('Job');
      expect(kinds.length).toBeGreaterThanOrEqual(5);
    }
    const planted = stdout.replace('backoffLimit: 0', 'backoffLimits: 0');
    await expect(kindsBy(packages, versions[2]!, planted)).rejects.toThrow(/backoffLimits/);
  }
}, 600_000);
