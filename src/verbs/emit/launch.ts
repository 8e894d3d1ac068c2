import type { Plan } from '../../model/plan/plan.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import { unixTarget } from '../../model/plan/unix-target.ts';
import { secretsFolder } from '../../platform/files/secrets.ts';
import type { LossPolicy } from '../fleet/loss-policies.ts';
import { scheduledEnd } from '../../schedule/stages.ts';

/**
 * What a manifest starts: a coordinator, its workers and, unless one exists, the server through which they communicate.
 */
export interface Launch {
  /** All names in the manifest begin with this name, which is valid in DNS. */
  readonly name: string;
  readonly plan: Plan;
  /** The name of the scenario file, and its text. */
  readonly file: string;
  readonly text: string;
  /** The target that is used instead of the scenario's target; `null` means the scenario's target. */
  readonly target: string | null;
  readonly slices: number;
  readonly onLost: LossPolicy;
  readonly image: string;
  /**
   * The address of the rendezvous (the server through which the coordinator and the workers communicate); `null` means
   * that a server is started beside the workers.
   */
  readonly rendezvous: string | null;
  readonly natsImage: string;
  /** The CPUs that each worker requests and may use at most. */
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly version: string;
}

export const natsPort = 4222;

/**
 * Returns where the workers meet if they run in containers: the given rendezvous, or a server that is started beside
 * the workers.
 */
export const meetingPlace = ({ rendezvous, name }: Launch): string =>
  rendezvous ?? `nats://${name}-nats:${natsPort}`;

/** Returns a name that Kubernetes, Slurm and Swarm accept (RFC 1123). The name is short enough for a suffix. */
export const launchName = (plan: string): string => {
  const safe = plan
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `weir-${safe || 'run'}`;
};

/** Returns the coordinator's options that are the same for every launcher. */
export const coordinatorOptions = ({ slices, target, onLost }: Launch): readonly string[] => [
  `--slices=${slices}`,
  ...(target === null ? [] : [`--target=${target}`]),
  ...(onLost === 'stop' ? [] : [`--on-lost=${onLost}`]),
];

/** Returns the references to secrets in the keys and headers of a plan. */
const referencesOf = ({ keys, headers, target }: Plan) =>
  [
    ...(target.kind === 'url' ? keys.map(({ template }) => template) : []),
    ...Object.values(headers),
  ].flatMap(secretReferencesIn);

export const secretVariables = (plan: Plan): readonly string[] => [
  ...new Set(
    referencesOf(plan).flatMap((reference) => (reference.kind === 'env' ? [reference.name] : [])),
  ),
];

/**
 * Returns the names of the secrets that container runtimes can mount as files. These are secrets named without a path,
 * and secrets directly in the folder of mounted secrets.
 */
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

/**
 * The time in s for the start, the wait for workers and the reports, in addition to the load. Each of the three takes
 * less time.
 */
const margin = 900;

/** Returns the maximum lifetime of a worker or of the coordinator, in s. */
export const longestLife = (plan: Plan): number =>
  Math.ceil((scheduledEnd(plan) + plan.grace) / 1000) + margin;

/** Returns the host and the port of the target; `null` if each worker starts its own gateway. */
export const targetEndpoint = ({
  target,
}: Plan): { readonly host: string; readonly port: number } | null => {
  if (target.kind !== 'url' || unixTarget(target.url) !== null) return null;
  const { hostname, port, protocol } = new URL(target.url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replaceAll(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
};
