import type { Plan } from '../../model/plan/plan.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import { unixTarget } from '../../model/plan/unix-target.ts';
import { secretsFolder } from '../../platform/files/secrets.ts';
import type { LossPolicy } from '../fleet/loss-policies.ts';
import { scheduledEnd } from '../../schedule/stages.ts';

/** What a manifest starts: a coordinator, its workers, and if none is there the server where they meet. */
export interface Launch {
  /** The first part of every name in the manifest, as DNS permits. */
  readonly name: string;
  readonly plan: Plan;
  /** The scenario file's name and text. */
  readonly file: string;
  readonly text: string;
  /** A target in the place of the scenario's; `null`: the scenario's own. */
  readonly target: string | null;
  readonly slices: number;
  readonly onLost: LossPolicy;
  readonly image: string;
  /** The rendezvous; `null`: a server is started beside the workers. */
  readonly rendezvous: string | null;
  readonly natsImage: string;
  /** Of each worker; requested and at most. */
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly version: string;
}

export const natsPort = 4222;

/** Where the workers meet under a launcher of containers: the rendezvous, or the server that is started beside them. */
export const meetingPlace = ({ rendezvous, name }: Launch): string =>
  rendezvous ?? `nats://${name}-nats:${natsPort}`;

/** A name that Kubernetes, Slurm and Swarm accept (RFC 1123), with room for a suffix. */
export const launchName = (plan: string): string => {
  const safe = plan
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `weir-${safe || 'run'}`;
};

/** The options of the coordinator that are the same whoever starts it. */
export const coordinatorOptions = ({ slices, target, onLost }: Launch): readonly string[] => [
  `--slices=${slices}`,
  ...(target === null ? [] : [`--target=${target}`]),
  ...(onLost === 'stop' ? [] : [`--on-lost=${onLost}`]),
];

/** The references to secrets in keys and headers of a plan. */
const referencesOf = ({ keys, headers, target }: Plan) =>
  [
    ...(target.kind === 'url' ? keys.map(({ template }) => template) : []),
    ...Object.values(headers),
  ].flatMap(secretReferencesIn);

/** The environment variables that hold keys and headers. */
export const secretVariables = (plan: Plan): readonly string[] => [
  ...new Set(
    referencesOf(plan).flatMap((reference) => (reference.kind === 'env' ? [reference.name] : [])),
  ),
];

/** The names of the secrets that are files where container runtimes mount them: bare names, and paths into that folder. */
export const secretFiles = (plan: Plan): readonly string[] => [
  ...new Set(
    referencesOf(plan).flatMap((reference) => {
      if (reference.kind !== 'secret') return [];
      const { path } = reference;
      const name = path.startsWith(`${secretsFolder}/`)
        ? path.slice(secretsFolder.length + 1)
        : path;
      return name.includes('/') ? [] : [name];
    }),
  ),
];

/** Gathering, reports and a slow start, in s: longer than anything waits. */
const margin = 900;

/** The longest that a worker or the coordinator lives, in s. */
export const longestLife = (plan: Plan): number =>
  Math.ceil((scheduledEnd(plan) + plan.grace) / 1000) + margin;

/** The host and port of the target; `null` for a gateway that each worker starts itself. */
export const targetEndpoint = ({
  target,
}: Plan): { readonly host: string; readonly port: number } | null => {
  if (target.kind !== 'url' || unixTarget(target.url) !== null) return null;
  const { hostname, port, protocol } = new URL(target.url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replaceAll(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
};
