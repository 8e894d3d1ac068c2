import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type * as testcontainers from 'testcontainers';
import type { Milliseconds } from '../../model/quantity.ts';
import { loadOptional } from '../optional-package.ts';
import { Problem } from '../problem.ts';
import { installedPackages, manifestOf, packageRoot } from './installed-packages.ts';
import type { MockProcess } from './mock-process.ts';

/** The name of the program's folder: `src` in a checkout, `dist` in the published package. */
const program = basename(join(import.meta.dirname, '..', '..'));
const dockerfile = fileURLToPath(new URL('../../mock/Dockerfile', import.meta.url));

/**
 * The paths of the running Weir that are copied into the image. From the folder `src` of the published package, only
 * the launcher is copied.
 */
const ownPaths = ['package.json', 'fixtures/speech', 'src/cli/weir.js', program];

const testOnly = /(\.test|.fixture)\.ts$|^src\/(acceptance|bench|proving)\//;

/** Returns the files of the program without tests, as paths below the package's folder. */
const ownFiles = (): readonly string[] =>
  ownPaths
    .flatMap((path) => {
      const whole = join(packageRoot, path);
      return statSync(whole).isFile()
        ? [path]
        : readdirSync(whole, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
    })
    .filter((path) => !testOnly.test(path))
    .sort();

/**
 * Returns the name and the tag of the image. The tag is a hash of the image's content, so an unchanged image is not
 * built again.
 */
const nameFor = (
  files: readonly string[],
  dependencies: ReadonlyMap<string, string>,
  base: string,
): string => {
  const hash = createHash('sha256').update(`${base}\0`).update(readFileSync(dockerfile));
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(packageRoot, file)));
  for (const [destination, source] of dependencies)
    hash.update(`${destination}\0${manifestOf(source).version}\0`);
  return `weir-mock:${hash.digest('hex').slice(0, 16)}`;
};

/**
 * Returns the name of the image of this Weir on the base image `base`, and the function `withFolder`. `withFolder`
 * calls `build` with a temporary folder that contains the image's files.
 */
const imageContext = (base: string) => {
  const files = ownFiles();
  const dependencies = installedPackages();
  return {
    image: nameFor(files, dependencies, base),
    withFolder: async <T>(build: (folder: string) => Promise<T>): Promise<T> => {
      const folder = await mkdtemp(join(tmpdir(), 'weir-image-'));
      try {
        await copyFile(dockerfile, join(folder, 'Dockerfile'));
        for (const file of files) await cp(join(packageRoot, file), join(folder, 'weir', file));
        for (const [destination, source] of dependencies) {
          await cp(source, join(folder, destination), {
            recursive: true,
            filter: (path) => !relative(source, path).split(sep).includes('node_modules'),
          });
        }
        return await build(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
};

export interface MockContainerOptions {
  /** The gateway's settings without its addresses. The keys in the settings are public test keys. */
  readonly settings: object;
  /** The gateway ends by itself after this many ms. */
  readonly lifetime: Milliseconds;
  /** The name of a base image with Node; `null` for the official image. */
  readonly base: string | null;
}

/** The base image and the ports must equal those in `src/mock/Dockerfile`. */
const officialBase = 'node:24-slim';
const containerAddress = { host: '0.0.0.0', port: 8080, controlPort: 8081 } as const;

/**
 * The gateway's ports are bound to this address of the machine. The gateway's keys are public, so it must not be
 * reachable from the network.
 */
const loopback = '127.0.0.1';

/** How long to wait between two checks whether a starting gateway is ready, and how long the start may take, in ms. */
const readiness = { apart: 50, whole: 20_000 } as const;
/** If a gateway has not ended by itself after this many ms, the container engine ends it. */
const stopGrace = 2000;

/**
 * Attaches to the standard streams of a container, and sends `settings`. The container was created but not yet started,
 * so no output is lost.
 */
const attach = async (
  { dockerode }: ContainerClient['container'],
  id: string,
  settings: object,
) => {
  const container = dockerode.getContainer(id);
  const streams = await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  let text = '';
  const output = new PassThrough().on('data', (part: Buffer) => {
    text = (text + part.toString('utf8')).slice(-2000);
  });
  dockerode.modem.demuxStream(streams, output, output);
  streams.on('error', () => undefined);
  streams.write(`${JSON.stringify({ ...settings, ...containerAddress })}\n`);
  return {
    container,
    streams,
    lastOutput: () => text.trim(),
    // Resolves when the engine has removed the container, or when the engine itself has stopped.
    removed: container.wait({ condition: 'removed' }).then(
      () => undefined,
      () => undefined,
    ),
  };
};

type AttachedContainer = Awaited<ReturnType<typeof attach>>;

/**
 * Returns the class of the container for the library. The container is reachable only from this machine. Weir attaches
 * to the container as soon as the container is created, and the engine removes the container once it has ended.
 */
const defineContainer = (
  { GenericContainer }: ContainerLibrary,
  client: ContainerClient,
  settings: object,
) =>
  class extends GenericContainer {
    attached: AttachedContainer | null = null;

    protected override beforeContainerCreated(): Promise<void> {
      this.hostConfig.AutoRemove = true;
      this.hostConfig.PortBindings = Object.fromEntries(
        [containerAddress.port, containerAddress.controlPort].map((port) => [
          `${port}/tcp`,
          [{ HostIp: loopback, HostPort: '0' }],
        ]),
      );
      // With these options, the engine closes the gateway's input when this process ends, for whatever reason.
      Object.assign(this.createOpts, { AttachStdin: true, OpenStdin: true, StdinOnce: true });
      return Promise.resolve();
    }

    protected override async containerCreated(id: string): Promise<void> {
      this.attached = await attach(client.container, id, settings);
    }
  };

/**
 * Closes the gateway's input, and waits until the engine has removed the container. The gateway ends when its input is
 * closed.
 */
const stop = async ({ container, streams, removed }: AttachedContainer): Promise<void> => {
  streams.end();
  const killTimer = setTimeout(() => {
    container.kill().catch(() => undefined);
  }, stopGrace);
  await removed;
  clearTimeout(killTimer);
};

/**
 * Starts the reference gateway in a container, through testcontainers. The gateway is reachable only through this
 * machine's loopback address. It ends when this process ends, even by a signal, or when its lifetime is over. Throws a
 * `Problem` if the library or an engine is missing, or if the image cannot be built.
 */
export const startMockContainer = async (
  options: MockContainerOptions,
  load: () => Promise<ContainerLibrary> = loadContainerLibrary,
): Promise<MockProcess> => {
  const library = await load();
  const client = await findContainerEngine(library);
  const image = await ensureMockImage(client, options.base ?? officialBase);
  const MockContainer = defineContainer(library, client, options.settings);
  const created = new MockContainer(image)
    .withExposedPorts(containerAddress.port, containerAddress.controlPort)
    .withCommand(['--contained', '--lifetime', `${Math.ceil(options.lifetime)}ms`])
    .withStartupTimeout(readiness.whole)
    .withWaitStrategy(
      library.Wait.forHttp('/health', containerAddress.controlPort).withReadTimeout(
        readiness.apart,
      ),
    );
  try {
    const started = await created.start();
    const { attached } = created;
    if (attached === null)
      throw new Error('The library started a container that it did not create.');
    return {
      url: `http://${loopback}:${started.getMappedPort(containerAddress.port)}/v1`,
      control: `http://${loopback}:${started.getMappedPort(containerAddress.controlPort)}`,
      pid: null,
      ended: () => null,
      stop: () => stop(attached),
    };
  } catch (error) {
    const { attached } = created;
    await attached?.container.remove({ force: true }).catch(() => undefined);
    throw new Problem(
      `target: the container of the reference gateway did not start or is not reachable: ${errorReason(error)}. Its output: ${attached?.lastOutput() ?? 'none'}. If Weir itself runs in a container, the engine must run in it too; \`mock\` starts the same gateway in a process`,
    );
  }
};

export type ContainerLibrary = typeof testcontainers;

export type ContainerClient = Awaited<ReturnType<ContainerLibrary['getContainerRuntimeClient']>>;

const errorReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim();

/** Loads the container library, which is large and optional, only when a run needs a container. */
export const loadContainerLibrary = async (): Promise<ContainerLibrary> => {
  // The library's reaper, which removes containers, needs an image from a registry. The reaper is turned off, since the
  // gateway ends with the run anyway.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  // Without this setting, if Weir itself runs in a container, the library would look for the engine from another
  // container, and would need an image from a registry for this.
  if (!/^(tcp|https?):/.test(process.env['DOCKER_HOST'] ?? '')) {
    process.env['TESTCONTAINERS_HOST_OVERRIDE'] ??= '127.0.0.1';
  }
  return loadOptional(
    () => import('testcontainers'),
    'target: the container form of the reference gateway',
    ['testcontainers'],
    'or use `mock`, which starts the same gateway in a process',
  );
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

/** Builds the image. Weir calls the engine directly, since the library's builder hides the cause of a failure. */
const build = async (
  client: ContainerClient,
  context: ReturnType<typeof imageContext>,
  base: string,
): Promise<void> => {
  const { dockerode } = client.container;
  await context.withFolder(async (folder) => {
    const answer = await dockerode.buildImage(
      { context: folder, src: ['Dockerfile', 'node_modules', 'weir'] },
      { t: context.image, buildargs: { NODE_IMAGE: base }, rm: true, forcerm: true },
    );
    // The engine answers 200 before it builds the image. If the build fails, a line of the answer reports the failure.
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

/** Returns the name of an image with this version of the gateway. Builds a missing image. */
const ensureMockImage = async (client: ContainerClient, base: string): Promise<string> => {
  const context = imageContext(base);
  try {
    await client.container.dockerode.getImage(context.image).inspect();
    return context.image;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404)
      throw new Problem(
        `target: the container engine cannot look for the image of the reference gateway: ${errorReason(error)}. Check the engine, or use \`mock\`, which starts the same gateway in a process`,
      );
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
