import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { weir } from '../../acceptance/harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  tempFile,
  tempFolder,
} from '../../acceptance/harness/weir-process.fixture.ts';
import { debianProgram } from '../harness/debian-proxies.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { outputOf } from '../harness/program-output.ts';
import { startDiscoveryStub } from './discovery-stub.fixture.ts';

/** `kubectl apply --dry-run=client` asks a server which kinds there are: a stub that knows no more. Fields are `kubernetes-validate`'s. */

cleanUpAfterEach();

const scenario = `
name: evening
target: https://gateway.example/v1
keys: [{ name: blue, key: '\${env:BLUE_KEY}' }]
traffic: [{ kind: models }]
load: { kind: constant, rate: 1/s, duration: 1m }
`;

it('kubectl would create what weir emit k8s prints, and nothing that the server does not know', async (context) => {
  const kubectl = await orSkip(context, async () => debianProgram('kubectl'));
  const stub = await startDiscoveryStub();
  onTestFinished(stub.close);
  const home = await tempFolder();
  const apply = async (manifest: string): Promise<string> => {
    const file = await tempFile('manifest.yaml', manifest);
    const cache = `--cache-dir=${join(home, 'cache')}`;
    const words = ['apply', '--dry-run=client', '--validate=false', cache, '-f', file];
    const env = { KUBECONFIG: join(home, 'none'), HOME: home };
    return (await outputOf(kubectl, [...words, `--server=${stub.url}`], { env })).stdout;
  };
  const file = await tempFile('evening.yaml', scenario);
  const { stdout } = await weir(['emit', 'k8s', file, '--slices=5']);
  const created = (await apply(stdout)).trim().split('\n');
  expect(created).toEqual(
    [
      'configmap/weir-evening-scenario',
      'service/weir-evening-nats',
      'statefulset.apps/weir-evening-nats',
      'job.batch/weir-evening-coordinator',
      'job.batch/weir-evening-worker',
      'networkpolicy.networking.k8s.io/weir-evening-worker',
      'networkpolicy.networking.k8s.io/weir-evening-coordinator',
      'networkpolicy.networking.k8s.io/weir-evening-nats',
    ].map((each) => `${each} created (dry run)`),
  );
  await expect(apply(stdout.replace('kind: Job', 'kind: Jobs'))).rejects.toThrow(/no matches for/);
  await expect(apply(stdout.replace('batch/v1', 'batch/v9'))).rejects.toThrow(/no matches for/);
  expect(stub.changes).toEqual([]);
}, 120_000);
