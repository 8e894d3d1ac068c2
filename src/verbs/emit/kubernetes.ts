import { stringify } from 'yaml';
import { secretsFolder } from '../../platform/files/secrets.ts';
import {
  beside,
  coordinatorOptions,
  type Launch,
  longestLife,
  mebibytes,
  meetingPlace,
  natsPort,
  secretFiles,
  secretVariables,
} from './launch.ts';
import { metadata, partLabels } from './kubernetes-names.ts';
import { networkPolicies } from './network-policies.ts';
import { plural } from '../../report/text/number-text.ts';

/** Manifests for Kubernetes: an Indexed Job of workers, a Job of the coordinator, and what they need. */

/** As of the image. */
const user = 1000;

const podSecurity = {
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  fsGroup: user,
  seccompProfile: { type: 'RuntimeDefault' },
};

const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const resourcesOf = (cpus: number, memoryGiB: number) => {
  const amounts = { cpu: String(cpus), memory: `${mebibytes(memoryGiB)}Mi` };
  return { requests: amounts, limits: amounts };
};

const emptyVolumes = [
  { name: 'work', emptyDir: {} },
  { name: 'tmp', emptyDir: {} },
];
const emptyMounts = [
  { name: 'work', mountPath: '/work' },
  { name: 'tmp', mountPath: '/tmp' },
];

const secretName = ({ name }: Launch): string => `${name}-keys`;

/** The keys, by reference to a Secret that the user makes. */
const secretEnvironment = (launch: Launch) =>
  secretVariables(launch.plan).map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: secretName(launch), key: name } },
  }));

const secretMounts = (launch: Launch) =>
  secretFiles(launch.plan).length === 0
    ? { volumes: [], mounts: [] }
    : {
        volumes: [{ name: 'secrets', secret: { secretName: secretName(launch) } }],
        mounts: [{ name: 'secrets', mountPath: secretsFolder, readOnly: true }],
      };

const scenarioMap = (launch: Launch) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata(launch, 'scenario'),
  data: { [launch.file]: launch.text },
});

const podOf = (launch: Launch, part: string, spec: object) => ({
  metadata: { labels: partLabels(launch, part) },
  spec: {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity,
    ...spec,
  },
});

/** A job that is never tried again: late load is wrong load. */
const jobOf = (launch: Launch, part: string, spec: object) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metadata(launch, part),
  spec: {
    backoffLimit: 0,
    activeDeadlineSeconds: longestLife(launch.plan),
    ttlSecondsAfterFinished: 86_400,
    ...spec,
  },
});

const coordinatorJob = (launch: Launch) =>
  jobOf(launch, 'coordinator', {
    template: podOf(launch, 'coordinator', {
      containers: [
        {
          name: 'coordinator',
          image: launch.image,
          args: [
            'coordinate',
            `/scenario/${launch.file}`,
            ...coordinatorOptions(launch),
            `--rendezvous=${meetingPlace(launch)}`,
            '--out=/work/report',
            '--no-history',
          ],
          resources: resourcesOf(...beside),
          securityContext: containerSecurity,
          volumeMounts: [
            ...emptyMounts,
            { name: 'scenario', mountPath: '/scenario', readOnly: true },
          ],
        },
      ],
      volumes: [
        ...emptyVolumes,
        { name: 'scenario', configMap: { name: `${launch.name}-scenario` } },
      ],
    }),
  });

const workerJob = (launch: Launch) => {
  const { volumes, mounts } = secretMounts(launch);
  return jobOf(launch, 'worker', {
    completionMode: 'Indexed',
    completions: launch.slices,
    parallelism: launch.slices,
    template: podOf(launch, 'worker', {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: partLabels(launch, 'worker') },
        },
      ],
      containers: [
        {
          name: 'worker',
          image: launch.image,
          args: ['worker', `--rendezvous=${meetingPlace(launch)}`, '--slice=auto'],
          env: [
            { name: 'WEIR_SLICES', value: String(launch.slices) },
            ...secretEnvironment(launch),
          ],
          resources: resourcesOf(launch.cpus, launch.memoryGiB),
          securityContext: containerSecurity,
          volumeMounts: [...emptyMounts, ...mounts],
        },
      ],
      volumes: [...emptyVolumes, ...volumes],
    }),
  });
};

/** One server, which only lives as long as the run needs it, and its headless name. */
const natsServer = (launch: Launch) => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(launch, 'nats'),
    spec: {
      clusterIP: 'None',
      selector: partLabels(launch, 'nats'),
      ports: [{ name: 'nats', port: natsPort, targetPort: natsPort, protocol: 'TCP' }],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadata(launch, 'nats'),
    spec: {
      serviceName: `${launch.name}-nats`,
      replicas: 1,
      selector: { matchLabels: partLabels(launch, 'nats') },
      template: {
        metadata: { labels: partLabels(launch, 'nats') },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurity,
          containers: [
            {
              name: 'nats',
              image: launch.natsImage,
              args: ['--port', String(natsPort), '--jetstream', '--store_dir', '/data'],
              ports: [{ name: 'nats', containerPort: natsPort, protocol: 'TCP' }],
              readinessProbe: { tcpSocket: { port: natsPort }, periodSeconds: 1 },
              resources: resourcesOf(...beside),
              securityContext: containerSecurity,
              volumeMounts: [
                { name: 'data', mountPath: '/data' },
                { name: 'tmp', mountPath: '/tmp' },
              ],
            },
          ],
          volumes: [
            { name: 'data', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  },
];

/** What a reader has to do. */
const head = (launch: Launch): string => {
  const keys = [
    ...secretVariables(launch.plan).map((name) => `--from-literal=${name}=…`),
    ...secretFiles(launch.plan).map((name) => `--from-file=${name}`),
  ];
  return [
    `# ${launch.plan.name} in ${plural(launch.slices, 'slice')}, written by weir emit k8s (Weir ${launch.version}). Read it, then:`,
    ...(keys.length === 0
      ? []
      : [`#   kubectl create secret generic ${secretName(launch)} ${keys.join(' ')}`]),
    `#   kubectl apply -f FILE && kubectl logs -f job/${launch.name}-coordinator`,
    '# The report ends the log; its files are gone with the pod, unless you mount a claim at /work of the coordinator.',
    '# A policy cannot name hosts: a target that is one is allowed by its port; give its ipBlock if you know it.',
  ].join('\n');
};

export const kubernetesManifest = (launch: Launch): string => {
  const documents = [
    scenarioMap(launch),
    ...(launch.rendezvous === null ? natsServer(launch) : []),
    coordinatorJob(launch),
    workerJob(launch),
    ...networkPolicies(launch),
  ];
  const texts = documents.map((each) =>
    stringify(each, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  return `${head(launch)}\n---\n${texts.join('---\n')}`;
};
