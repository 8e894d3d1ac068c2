import { isIP } from 'node:net';
import { metadata, partLabels } from './kubernetes-names.ts';
import { type Launch, natsPort, targetEndpoint } from './launch.ts';

/** Who may reach whom: workers the target, the names and the rendezvous; nobody the workers. */

const dns = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
};

/** Where the rendezvous is: the server beside, or an address outside. */
const toRendezvous = (launch: Launch) => {
  if (launch.rendezvous === null)
    return {
      to: [{ podSelector: { matchLabels: partLabels(launch, 'nats') } }],
      ports: [{ protocol: 'TCP', port: natsPort }],
    };
  const { port } = new URL(launch.rendezvous);
  return { ports: [{ protocol: 'TCP', port: port === '' ? natsPort : Number(port) }] };
};

/** A policy knows addresses and no names: a name is allowed by its port. */
const toTarget = ({ plan }: Launch) => {
  const endpoint = targetEndpoint(plan);
  if (endpoint === null) return [];
  const ports = [{ protocol: 'TCP', port: endpoint.port }];
  const version = isIP(endpoint.host);
  const cidr = `${endpoint.host}/${version === 6 ? 128 : 32}`;
  return [version === 0 ? { ports } : { to: [{ ipBlock: { cidr } }], ports }];
};

const policyOf = (launch: Launch, part: string, rules: object) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadata(launch, part),
  spec: {
    podSelector: { matchLabels: partLabels(launch, part) },
    policyTypes: ['Ingress', 'Egress'],
    ...rules,
  },
});

export const networkPolicies = (launch: Launch) => [
  policyOf(launch, 'worker', {
    ingress: [],
    egress: [dns, toRendezvous(launch), ...toTarget(launch)],
  }),
  policyOf(launch, 'coordinator', { ingress: [], egress: [dns, toRendezvous(launch)] }),
  ...(launch.rendezvous === null
    ? [
        policyOf(launch, 'nats', {
          ingress: [
            {
              from: ['worker', 'coordinator'].map((part) => ({
                podSelector: { matchLabels: partLabels(launch, part) },
              })),
              ports: [{ protocol: 'TCP', port: natsPort }],
            },
          ],
          egress: [],
        }),
      ]
    : []),
];
