import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { MockClock } from '../clock/mock-clock.ts';
import { MockStartError } from '../errors/mock-errors.ts';
import { controlListener, type SettingsReader } from './control.ts';
import { basePath, openGateway } from './gateway.ts';
import { type SettingsInput, settingsSchema } from '../settings/settings.ts';
import { openRequestTraceLog } from '../http/request-trace.ts';

/** The time, in ms, for which an idle connection stays open, as at usual proxies: Node's 5 s make slow loads reconnect. */
const keepAliveTimeout = 75_000;

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; choose another port, or 0 for a free one',
  EACCES: 'this user may not use the port; choose a port above 1023',
  EADDRNOTAVAIL: 'no interface of this machine has that address',
  ENOTFOUND: 'the host name has no address',
};

const listenOn = async (server: Server, host: string, port: number): Promise<string> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = listenProblems[code] ?? String(cause);
    const message = `The mock cannot listen on ${host} port ${port}: ${reason}.`;
    throw new MockStartError(message, { cause });
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
};

/** Returns a function that closes a server and its connections, and resolves once all have closed. */
const closerOf = (server: Server): (() => Promise<void>) => {
  const open = new Map<Socket, Promise<unknown>>();
  server.on('connection', (socket: Socket) => {
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const forget = closed.then(() => open.delete(socket));
    open.set(socket, forget);
  });
  return async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeAllConnections();
    await Promise.all([closed, ...open.values()]);
  };
};

/**
 * Starts the mock gateway on a public and a control port. Rejects with a `MockStartError` if it cannot listen or write
 * its trace log, with a ZodError for invalid settings. `readSettings` converts settings sent to the control port.
 */
export const startMock = async (
  input: SettingsInput,
  clock: MockClock,
  readSettings: SettingsReader = (plain) => plain,
) => {
  const settings = settingsSchema.parse(input);
  const traceLog = openRequestTraceLog(settings);
  const gateway = openGateway(settings, clock, traceLog);
  const { requestTimeout } = settings;
  const publicServer = createServer(
    {
      keepAliveTimeout,
      requestTimeout,
      headersTimeout: requestTimeout,
      // How often Node checks for requests that take too long.
      connectionsCheckingInterval: Math.min(30_000, Math.ceil(requestTimeout / 2)),
    },
    gateway.receive,
  );
  const control = createServer(controlListener(gateway, clock, readSettings));
  const closers = [publicServer, control].map(closerOf);
  /** Ends open answers and closes every socket. */
  const close = async (): Promise<void> => {
    // Answers of this turn are counted but not written yet.
    await new Promise<void>((resolve) => clock.atEndOfTurn(resolve));
    gateway.stop();
    await Promise.all(closers.map((closeServer) => closeServer()));
    traceLog?.close();
  };
  try {
    const url = (await listenOn(publicServer, settings.host, settings.port)) + basePath;
    /** It lists its commands in the answer to an unknown one. */
    const controlUrl = await listenOn(control, settings.host, settings.controlPort);
    return { url, controlUrl, counters: gateway.counters, close };
  } catch (problem) {
    await close();
    throw problem;
  }
};

export type Mock = Awaited<ReturnType<typeof startMock>>;

/** Returns the line that the mock's process prints once it listens: its addresses as JSON. */
export const readyLine = ({ url, controlUrl }: Mock): string =>
  JSON.stringify({ url, control: controlUrl });
