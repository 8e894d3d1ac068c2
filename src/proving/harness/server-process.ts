import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, hasEnded } from '../../bench/harness/processes.ts';

/** The keys that every gateway of this room knows. */
export const provingKeys = ['sk-proving-1', 'sk-proving-2'] as const;

/** What a server is started with. */
export interface ServerOptions {
  readonly port: number;
  /** The server's own folder. */
  readonly folder: string;
  /** The file for its own log of requests. */
  readonly log: string;
}

export interface RunningServer {
  /** Base address, ending in `/v1`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A port that nothing listens to. */
export const freePort = async (): Promise<number> => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

interface ServerCommand {
  readonly command: readonly [string, ...string[]];
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** What comes before the host in its address. */
  readonly scheme?: 'http' | 'https';
  /** The longest that it may take until it answers, in ms. */
  readonly patience?: number;
  /** Called with everything that it prints. */
  readonly onOutput?: (text: string) => void;
}

/** Servers that still run when this process ends. */
const servers = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of servers) child.kill('SIGKILL');
});

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

/** Starts a server and waits until it listens. Throws, with what it printed last, if it ends before or takes too long. */
export const startServer = async (server: ServerCommand): Promise<RunningServer> => {
  const { port, scheme = 'http', patience = 120_000, folder, onOutput } = server;
  const [program, ...args] = server.command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...server.env },
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  servers.add(child);
  let output = '';
  let failure = '';
  const keep = (text: string): void => {
    output = `${output}${text}`.slice(-2000);
    onOutput?.(text);
  };
  child.once('error', (error) => {
    failure = error.message;
  });
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const stop = async (): Promise<void> => {
    servers.delete(child);
    if (child.pid === undefined) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    if (!hasEnded(child)) await once(child, 'exit');
    clearTimeout(timer);
  };
  const deadline = performance.now() + patience;
  while (!(await isListening(port))) {
    if (failure !== '' || hasEnded(child) || performance.now() > deadline) {
      servers.delete(child);
      if (child.pid !== undefined) await endProcess(child);
      throw new Error(`${program} does not listen on port ${port}: ${failure || output}`);
    }
    await sleep(50);
  }
  return { url: `${scheme}://127.0.0.1:${port}/v1`, stop };
};
