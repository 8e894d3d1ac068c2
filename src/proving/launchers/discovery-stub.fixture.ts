import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of a Kubernetes API server that `kubectl apply --dry-run=client` asks for: which kinds there are. It has no objects. */

const kinds: Readonly<Record<string, readonly (readonly [kind: string, resource: string])[]>> = {
  v1: [
    ['ConfigMap', 'configmaps'],
    ['Service', 'services'],
  ],
  'apps/v1': [['StatefulSet', 'statefulsets']],
  'batch/v1': [['Job', 'jobs']],
  'networking.k8s.io/v1': [['NetworkPolicy', 'networkpolicies']],
};

const groups = Object.keys(kinds).filter((version) => version.includes('/'));

const groupList = {
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map((groupVersion) => {
    const [name, version] = groupVersion.split('/');
    const only = { groupVersion, version };
    return { name, versions: [only], preferredVersion: only };
  }),
};

const resourceList = (groupVersion: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: kinds[groupVersion]!.map(([kind, name]) => ({
    name,
    singularName: kind.toLowerCase(),
    namespaced: true,
    kind,
    verbs: ['create', 'get', 'list', 'patch'],
  })),
});

const answers: ReadonlyMap<string, object> = new Map<string, object>([
  ['/api', { kind: 'APIVersions', versions: ['v1'] }],
  ['/apis', groupList],
  ['/api/v1', resourceList('v1')],
  ...groups.map((group) => [`/apis/${group}`, resourceList(group)] as const),
]);

const absent = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
  message: 'not found',
};

export interface DiscoveryStub {
  readonly url: string;
  /** What was asked other than by GET. */
  readonly changes: readonly string[];
  close(): Promise<void>;
}

export const startDiscoveryStub = async (): Promise<DiscoveryStub> => {
  const changes: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    if (method !== 'GET') changes.push(`${method} ${url}`);
    const answer = answers.get(url.replace(/\?.*/, ''));
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? absent));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    changes,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
