import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { Problem } from '../problem.ts';
import { type ContainerLibrary, startMockContainer } from './mock-container.ts';

/** The container library is one of this file, which keeps what it is asked for. */

interface Engine {
  readonly asked: Record<string, unknown>;
  readonly library: ContainerLibrary;
  /** What the gateway reads. */
  readonly input: () => string;
  /** Says that the engine has removed the container. */
  readonly remove: () => void;
}

interface EngineOptions {
  readonly host?: string;
  /** Why the image cannot be looked at. */
  readonly imageError?: Error;
  /** What the container prints before it fails to start. */
  readonly failsAfter?: string;
  readonly isCreated?: boolean;
}

const startEngine = ({
  host = 'localhost',
  imageError,
  failsAfter,
  isCreated = true,
}: EngineOptions = {}): Engine => {
  const asked: Record<string, unknown> = {};
  const removed = Promise.withResolvers<void>();
  const streams = new PassThrough();
  let input = '';
  streams.on('data', (part: Buffer) => (input += part.toString()));
  streams.on('end', () => (asked['inputEnded'] = true));
  const container = {
    attach: (options: unknown) => {
      asked['attach'] = options;
      return Promise.resolve(streams);
    },
    wait: ({ condition }: { readonly condition: string }) => {
      asked['wait'] = condition;
      return removed.promise;
    },
    kill: () => {
      asked['killed'] = true;
      removed.resolve();
      return Promise.resolve();
    },
    remove: (options: unknown) => {
      asked['removed'] = options;
      return Promise.resolve();
    },
  };
  let output: PassThrough | null = null;
  const dockerode = {
    getImage: (name: string) => {
      asked['image'] = name;
      return {
        inspect: () =>
          imageError === undefined ? Promise.resolve({}) : Promise.reject(imageError),
      };
    },
    getContainer: () => container,
    modem: { demuxStream: (_: unknown, to: PassThrough) => (output = to) },
  };
  class GenericContainer {
    readonly hostConfig: Record<string, unknown> = {};
    readonly createOpts: Record<string, unknown> = {};
    constructor(image: string) {
      asked['started'] = image;
    }
    withExposedPorts(...ports: number[]): this {
      asked['ports'] = ports;
      return this;
    }
    withCommand(words: string[]): this {
      asked['command'] = words;
      return this;
    }
    withStartupTimeout(ms: number): this {
      asked['startup'] = ms;
      return this;
    }
    withWaitStrategy(strategy: unknown): this {
      asked['ready'] = strategy;
      return this;
    }
    protected beforeContainerCreated(): Promise<void> {
      return Promise.resolve();
    }
    protected containerCreated(id: string): Promise<void> {
      asked['created'] = id;
      return Promise.resolve();
    }
    async start(): Promise<unknown> {
      await this.beforeContainerCreated();
      Object.assign(asked, this.hostConfig, this.createOpts);
      if (isCreated) await this.containerCreated('id');
      if (failsAfter !== undefined) {
        output?.write(failsAfter);
        throw new Error(' it is not healthy\n');
      }
      return { getMappedPort: (port: number) => port + 40_000 };
    }
  }
  const library = {
    GenericContainer,
    Wait: {
      forHttp: (path: string, port: number) => ({
        withReadTimeout: (apart: number) => ({ path, port, apart }),
      }),
    },
    getContainerRuntimeClient: () =>
      Promise.resolve({ info: { containerRuntime: { host } }, container: { dockerode } }),
  } as unknown as ContainerLibrary;
  return { asked, library, input: () => input, remove: () => removed.resolve() };
};

const start = (library: ContainerLibrary, base: string | null = null) =>
  startMockContainer(
    { settings: { seed: 7 }, lifetime: milliseconds(1234.5), base },
    async () => library,
  );

afterEach(() => {
  vi.useRealTimers();
});

describe('the container of the reference gateway', () => {
  it('is reachable from this machine only, gets its settings, and ends by itself', async () => {
    const { asked, library, input } = startEngine();
    const mock = await start(library);
    expect(mock).toMatchObject({
      url: 'http://127.0.0.1:48080/v1',
      control: 'http://127.0.0.1:48081',
      pid: null,
    });
    expect(mock.ended()).toBeNull();
    expect(input()).toBe('{"seed":7,"host":"0.0.0.0","port":8080,"controlPort":8081}\n');
    expect(asked).toMatchObject({
      command: ['--contained', '--lifetime', '1235ms'],
      ports: [8080, 8081],
      PortBindings: {
        '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: '0' }],
        '8081/tcp': [{ HostIp: '127.0.0.1', HostPort: '0' }],
      },
      AutoRemove: true,
      AttachStdin: true,
      OpenStdin: true,
      StdinOnce: true,
      attach: { stream: true, hijack: true, stdin: true, stdout: true, stderr: true },
      ready: { path: '/health', port: 8081, apart: 50 },
      startup: 20_000,
      wait: 'removed',
    });
  });

  it('is one image for one base and one content', async () => {
    const names: unknown[] = [];
    for (const base of [null, 'node:24-slim', 'other:1']) {
      const { asked, library } = startEngine();
      await start(library, base);
      expect(asked['started']).toBe(asked['image']);
      names.push(asked['image']);
    }
    expect(names[0]).toMatch(/^weir-mock:[\da-f]{16}$/);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
  });

  it('ends when its input ends, and is not killed while it does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, library, remove } = startEngine();
    const mock = await start(library);
    const stopped = mock.stop();
    await vi.advanceTimersByTimeAsync(1999);
    expect([asked['inputEnded'], asked['killed']]).toEqual([true, undefined]);
    remove();
    await stopped;
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked['killed']).toBeUndefined();
  });

  it('is killed if it has not ended two seconds later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { asked, library } = startEngine();
    const mock = await start(library);
    const stopped = mock.stop();
    await vi.advanceTimersByTimeAsync(2000);
    await stopped;
    expect(asked['killed']).toBe(true);
  });

  it('that does not start is removed, and its last words are in the message', async () => {
    const { asked, library } = startEngine({ failsAfter: `${'x'.repeat(3000)}no memory\n` });
    const starting = start(library);
    await expect(starting).rejects.toThrow(Problem);
    await expect(starting).rejects.toThrow(
      /^target: the container of the reference gateway did not start or is not reachable: it is not healthy\. Its output: x{1990}no memory\. If Weir itself/,
    );
    expect(asked['removed']).toEqual({ force: true });
  });

  it('that was never created has no output', async () => {
    const { library } = startEngine({ failsAfter: 'nobody hears', isCreated: false });
    await expect(start(library)).rejects.toThrow('it is not healthy. Its output: none. If');
    await expect(start(startEngine({ isCreated: false }).library)).rejects.toThrow(
      'a container that it did not create',
    );
  });
});

describe('a container engine', () => {
  it.each(['localhost', '127.0.0.1', '::1'])('is used at %s', async (host) => {
    expect((await start(startEngine({ host }).library)).pid).toBeNull();
  });

  it('on another machine is refused before anything is built', async () => {
    const { asked, library } = startEngine({ host: '10.0.0.9' });
    await expect(start(library)).rejects.toThrow(
      'target: the container engine is on another machine (10.0.0.9), and',
    );
    expect(asked).toEqual({});
  });

  it('that does not answer, or not about the image, is a sentence', async () => {
    const { library } = startEngine();
    const absent = {
      ...library,
      getContainerRuntimeClient: () => Promise.reject(new Error(' none ')),
    } as unknown as ContainerLibrary;
    await expect(start(absent)).rejects.toThrow('target: no container engine answers (none): ');
    const imageError = Object.assign(new Error('disk'), { statusCode: 500 });
    const looking = start(startEngine({ imageError }).library);
    await expect(looking).rejects.toThrow(Problem);
    await expect(looking).rejects.toThrow('image of the reference gateway: disk. Check the engine');
  });
});
