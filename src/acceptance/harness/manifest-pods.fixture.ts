import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { outputInCheckout } from './weir-image.fixture.ts';
import { tempFolder } from './weir-process.fixture.ts';

/** Starts the pods of a manifest for Kubernetes with Docker alone, each as restricted as the manifest says. */

const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ secretKeyRef: z.object({ key: z.string() }) }).optional(),
      }),
    )
    .default([]),
  resources: z.object({ limits: z.object({ cpu: z.string(), memory: z.string() }) }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});

const podSchema = z.object({
  securityContext: z.object({ runAsUser: z.int(), runAsGroup: z.int() }),
  containers: z.tuple([containerSchema]),
  volumes: z.array(
    z.object({
      name: z.string(),
      emptyDir: z.object({}).optional(),
      configMap: z.object({ name: z.string() }).optional(),
    }),
  ),
});

const resourceSchema = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
  spec: z
    .object({
      completions: z.int().optional(),
      template: z.object({ spec: podSchema }).optional(),
    })
    .optional(),
});

type Pod = z.infer<typeof podSchema>;

/** The mebibytes of a quantity such as `512Mi`, as Docker writes them. */
const memoryOf = (quantity: string): string => {
  if (!/^\d+Mi$/.test(quantity)) throw new Error(`expected mebibytes, got ${quantity}`);
  return quantity.replace('Mi', 'm');
};

/** The restrictions of a pod as options of `docker run`. */
const restrictionsOf = ({ securityContext, containers: [container] }: Pod): readonly string[] => {
  const { cpu, memory } = container.resources.limits;
  const amount = memoryOf(memory);
  return [
    '--read-only',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--restart=no',
    `--user=${securityContext.runAsUser}:${securityContext.runAsGroup}`,
    `--cpus=${cpu}`,
    `--memory=${amount}`,
    `--memory-swap=${amount}`,
  ];
};

/** The folders of a pod. An empty one is everybody's, as the kubelet makes it. */
const mountsOf = ({ volumes, containers: [container] }: Pod, maps: ReadonlyMap<string, string>) =>
  container.volumeMounts.map(({ name, mountPath }) => {
    const volume = volumes.find((each) => each.name === name);
    if (volume?.emptyDir !== undefined) return `--tmpfs=${mountPath}:mode=0777,uid=1000,gid=1000`;
    const folder = maps.get(volume?.configMap?.name ?? '');
    if (folder === undefined) throw new Error(`no volume for ${name}`);
    return `--volume=${folder}:${mountPath}:ro`;
  });

interface PodSurroundings {
  readonly network: string;
  /** What the Secret holds. */
  readonly secrets: Readonly<Record<string, string>>;
}

const environmentOf = ({ containers: [{ env }] }: Pod, secrets: PodSurroundings['secrets']) =>
  env.map(({ name, value, valueFrom }) => {
    const given = value ?? secrets[valueFrom?.secretKeyRef.key ?? ''];
    if (given === undefined) throw new Error(`no value for ${name}`);
    return `--env=${name}=${given}`;
  });

/** Starts every pod of a manifest in its order; returns the containers by the name of their resource, with `-INDEX` for an indexed job. */
export const startPods = async (
  manifest: string,
  { network, secrets }: PodSurroundings,
): Promise<ReadonlyMap<string, string>> => {
  const resources = parseAllDocuments(manifest)
    .map((each) => each.toJS() as unknown)
    .filter((each) => each !== null)
    .map((each) => resourceSchema.parse(each));
  const maps = new Map<string, string>();
  for (const { metadata, data } of resources) {
    if (data === undefined) continue;
    const folder = join(await tempFolder(), 'map');
    await mkdir(folder);
    for (const [file, text] of Object.entries(data)) await writeFile(join(folder, file), text);
    maps.set(metadata.name, folder);
  }
  const started = new Map<string, string>();
  for (const { metadata, spec } of resources) {
    if (spec?.template === undefined) continue;
    const pod = spec.template.spec;
    const { completions } = spec;
    for (const index of Array.from({ length: completions ?? 1 }, (_, n) => n)) {
      const name = completions === undefined ? metadata.name : `${metadata.name}-${index}`;
      const indexed = completions === undefined ? [] : [`--env=JOB_COMPLETION_INDEX=${index}`];
      const words = [
        `--name=${name}`,
        `--network=${network}`,
        ...restrictionsOf(pod),
        ...mountsOf(pod, maps),
        ...environmentOf(pod, secrets),
        ...indexed,
        pod.containers[0].image,
        ...pod.containers[0].args,
      ];
      started.set(name, await outputInCheckout('docker', 'run', '--detach', ...words));
    }
  }
  return started;
};
