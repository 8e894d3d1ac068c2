import { fileURLToPath } from 'node:url';
import type * as testcontainers from 'testcontainers';
import { type ImageContext, imageContext } from './image-context.ts';
import { Problem } from '../problem.ts';

/** The container library, the engine behind it, and the image of the reference gateway. */

export type ContainerLibrary = typeof testcontainers;
export type ContainerClient = Awaited<ReturnType<ContainerLibrary['getContainerRuntimeClient']>>;

export const errorReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim();

/** Loads the container library, which is large and optional, only when a container is needed. */
export const loadContainerLibrary = async (): Promise<ContainerLibrary> => {
  // Its reaper needs an image from a registry. Here the engine removes ended containers, and the gateway
  // ends with the run: at the end of its input, or of its lifetime.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  // In a container the library assumes that the engine is outside, and needs an image from a registry
  // to find its address.
  if (!/^(tcp|https?):/.test(process.env['DOCKER_HOST'] ?? '')) {
    process.env['TESTCONTAINERS_HOST_OVERRIDE'] ??= '127.0.0.1';
  }
  try {
    return await import('testcontainers');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Problem(
      'target: the container form of the reference gateway needs the package testcontainers, which is not installed: run `npm install testcontainers@12`, or use `mock`, which starts the same gateway in a process',
    );
  }
};

export const findContainerEngine = async (library: ContainerLibrary): Promise<ContainerClient> => {
  let client: ContainerClient;
  try {
    client = await library.getContainerRuntimeClient();
  } catch (error) {
    throw new Problem(
      `target: no container engine answers (${errorReason(error)}): start Docker or Podman, set DOCKER_HOST to its address, or use \`mock\`, which starts the same gateway in a process`,
    );
  }
  const { host } = client.info.containerRuntime;
  if (!['localhost', '127.0.0.1', '::1'].includes(host)) {
    throw new Problem(
      `target: the container engine is on another machine (${host}), and its containers are reachable only there: run Weir on that machine, or start the gateway there with \`weir mock\` and use its address as the target`,
    );
  }
  return client;
};

/** Builds the image. The library's builder hides the cause of a failure, so the engine is called directly. */
const build = async (
  client: ContainerClient,
  context: ImageContext,
  base: string,
): Promise<void> => {
  const { dockerode } = client.container;
  await context.withFolder(async (folder) => {
    const answer = await dockerode.buildImage(
      { context: folder, src: ['Dockerfile', 'node_modules', 'weir'] },
      { t: context.image, buildargs: { NODE_IMAGE: base }, rm: true, forcerm: true },
    );
    // The engine answers 200 before it builds: a failure is a line of the answer.
    const lines = await new Promise<readonly { readonly error?: string }[]>((resolve, reject) => {
      dockerode.modem.followProgress(answer, (error, progress) =>
        error === null ? resolve(progress as { error?: string }[]) : reject(error),
      );
    });
    const failed = lines.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw new Error(failed.error);
  });
};

const baseScript = fileURLToPath(new URL('../../mock/base-image.sh', import.meta.url));

/** The name of an image with this version of the gateway; builds it if missing. */
export const ensureMockImage = async (client: ContainerClient, base: string): Promise<string> => {
  const context = imageContext(base);
  try {
    await client.container.dockerode.getImage(context.image).inspect();
    return context.image;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error;
  }
  try {
    await build(client, context, base);
  } catch (error) {
    throw new Problem(
      `target: the image of the reference gateway could not be built on ${base}: ${errorReason(error)}. If no registry is reachable, build a base image from this machine’s Node: export WEIR_NODE_IMAGE="$(bash ${baseScript})"`,
    );
  }
  return context.image;
};
