import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A NATS server of Debian's package `nats-server`, with JetStream in a separate folder. */

const portOf = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};

const startOn = async (config: string): Promise<ChildProcess> => {
  const child = spawn('/usr/sbin/nats-server', ['-c', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server is ready')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`nats-server ended: ${said}`)));
  });
  return child;
};

export interface NatsServer {
  readonly url: string;
  readonly folder: string;
  /** Ends the server by this signal, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server that ends with the test. `extra` is further configuration. */
export const startNatsServer = async (extra = ''): Promise<NatsServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-nats-'));
  const port = await portOf();
  const config = join(folder, 'nats.conf');
  await writeFile(
    config,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/store" }\n${extra}\n`,
  );
  let child: ChildProcess | null = await startOn(config);
  const stop = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    child = null;
  };
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: `nats://127.0.0.1:${port}`,
    folder,
    stop,
    start: async () => {
      child ??= await startOn(config);
    },
  };
};
