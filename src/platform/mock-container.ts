import { PassThrough } from 'node:stream';
import type { Milliseconds } from '../model/quantity.ts';
import {
  type Client,
  ensureImage,
  findEngine,
  type Library,
  loadLibrary,
  reasonOf,
} from './container-engine.ts';
import type { MockProcess } from './mock-process.ts';
import { Problem } from './problem.ts';

/** How a container of the reference gateway is to be run. */
export interface ContainerOrder {
  /** The gateway's settings; keys among them are the published test keys. Its addresses are the container's own affair. */
  readonly settings: object;
  /** After this long the gateway ends by itself, whatever became of the run. */
  readonly lifetime: Milliseconds;
  /** The image with Node that the gateway's is built on; `null` for Node's official one. */
  readonly base: string | null;
}

/** As in `src/mock/Dockerfile`, where the ports are said too. */
const officialBase = 'node:24-slim';
const inside = { host: '0.0.0.0', port: 8080, controlPort: 8081 } as const;

/** Nobody else on the network is to reach a gateway that takes published keys. */
const loopback = '127.0.0.1';

/** How often a starting gateway is asked whether it listens, and how long (ms). */
const patience = { apart: 50, whole: 20_000 } as const;
/** How long a gateway may take to end by itself before the engine ends it (ms). */
const stopGrace = 2000;

type Container = ReturnType<Client['container']['getById']>;

/** A container that was created, with its standard streams: they are attached before it starts, so that nothing it says is lost. */
interface Attached {
  readonly container: Container;
  readonly streams: NodeJS.ReadWriteStream;
  /** The last of what it said. */
  readonly said: () => string;
  /** Resolves when the engine has removed it. */
  readonly gone: Promise<void>;
}

const attach = async (
  { dockerode }: Client['container'],
  id: string,
  settings: object,
): Promise<Attached> => {
  const container = dockerode.getContainer(id);
  const streams = await container.attach({
    ...{ stream: true, hijack: true, stdin: true, stdout: true, stderr: true },
  });
  let text = '';
  const ear = new PassThrough().on('data', (part: Buffer) => {
    text = (text + part.toString('utf8')).slice(-2000);
  });
  dockerode.modem.demuxStream(streams, ear, ear);
  streams.on('error', () => undefined);
  streams.write(`${JSON.stringify({ ...settings, ...inside })}\n`);
  return {
    container,
    streams,
    said: () => text.trim(),
    // An engine that has ended has nothing left to wait for.
    gone: container.wait({ condition: 'removed' }).then(
      () => undefined,
      () => undefined,
    ),
  };
};

/** The library's container, reachable from this machine only, removed by the engine once it has ended, and attached as soon as it is there. */
const definedContainer = ({ GenericContainer }: Library, client: Client, settings: object) =>
  class extends GenericContainer {
    attached: Attached | null = null;

    protected override async beforeContainerCreated(): Promise<void> {
      this.hostConfig.AutoRemove = true;
      this.hostConfig.PortBindings = Object.fromEntries(
        [inside.port, inside.controlPort].map((port) => [
          `${port}/tcp`,
          [{ HostIp: loopback, HostPort: '0' }],
        ]),
      );
      // The engine closes the gateway's input as soon as this process is gone, however it went.
      Object.assign(this.createOpts, { AttachStdin: true, OpenStdin: true, StdinOnce: true });
      await Promise.resolve();
    }

    protected override async containerCreated(id: string): Promise<void> {
      this.attached = await attach(client.container, id, settings);
    }
  };

/** Lets the gateway end by the end of its input, and waits until the engine has removed it. */
const stop = async ({ container, streams, gone }: Attached): Promise<void> => {
  streams.end();
  const impatience = setTimeout(() => {
    container.kill().catch(() => undefined);
  }, stopGrace);
  await gone;
  clearTimeout(impatience);
};

/**
 * Starts the reference gateway in a container, through testcontainers. It listens on this machine's
 * loopback address only and leaves when this process ends, however it ends, at the latest after its
 * lifetime. Throws a `Problem` without the library or an engine, or when the image cannot be built.
 */
export const startMockContainer = async (order: ContainerOrder): Promise<MockProcess> => {
  const library = await loadLibrary();
  const client = await findEngine(library);
  const image = await ensureImage(client, order.base ?? officialBase);
  const MockContainer = definedContainer(library, client, order.settings);
  const created = new MockContainer(image)
    .withExposedPorts(inside.port, inside.controlPort)
    .withCommand(['--contained', '--lifetime', `${Math.ceil(order.lifetime)}ms`])
    .withStartupTimeout(patience.whole)
    .withWaitStrategy(
      library.Wait.forHttp('/health', inside.controlPort).withReadTimeout(patience.apart),
    );
  try {
    const started = await created.start();
    const { attached } = created;
    if (attached === null) throw new Error('The library started a container it had not created.');
    return {
      url: `http://${loopback}:${started.getMappedPort(inside.port)}/v1`,
      control: `http://${loopback}:${started.getMappedPort(inside.controlPort)}`,
      ended: () => null,
      stop: () => stop(attached),
    };
  } catch (error) {
    const { attached } = created;
    await attached?.container.remove({ force: true }).catch(() => undefined);
    throw new Problem(
      `target: the container of the reference gateway could not be started and reached: ${reasonOf(error)}. It said: ${attached?.said() ?? 'nothing'}. Where Weir itself runs in a container, the engine must run in it too; \`mock\` starts the same gateway in a process`,
    );
  }
};
