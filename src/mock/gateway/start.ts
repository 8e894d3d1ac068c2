import { once } from 'node:events';
import {
  createServer,
  type Server,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { MockClock, AdjustableMockClock } from '../clock/mock-clock.ts';
import { MockStartError } from '../errors/mock-errors.ts';
import { basePath, openGateway, type Gateway } from './gateway.ts';
import { type SettingsInput, settingsSchema } from '../settings/settings.ts';
import { openRequestTraceLog } from '../http/request-trace.ts';
import { z } from 'zod';
import { parseJson, readBody } from '../http/request-body.ts';

/** Handles the body of a control request. Returns the reply or a promise of the reply. May throw a `CommandProblem`. */
type Command = (body: unknown) => unknown;

class CommandProblem extends Error {}

/**
 * Converts settings from another notation to the notation of `Settings`. The reader may return a promise. Values that
 * the reader cannot convert stay unchanged.
 */
type SettingsReader = (written: unknown) => unknown;

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/** Matches hosts that no web page can have: IP addresses, `localhost`, and dotless names of machines or containers. */
const ownHost = /^(?:\[[\da-f:.]+\]|[\d.]+|[\w-]+)(?::\d+)?$/i;

/**
 * Returns the reason for refusing a request that a browser sent for a web page; `null` for any other request. A foreign
 * site's name may resolve to this address (DNS rebinding), so such requests must be refused.
 */
const foreignCaller = ({ host = '', origin, ...headers }: IncomingHttpHeaders): string | null => {
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return 'The control port takes no requests from web pages; use curl or a program.';
  return ownHost.test(host)
    ? null
    : `The control port expects its address in the header Host; got ${JSON.stringify(host)}.`;
};

const maxControlBodyBytes = 1024 * 1024;

/** Parses a body as JSON; `undefined` if the body is empty. */
const parseControlBody = (body: Uint8Array | null): unknown => {
  if (body !== null && Buffer.from(body).toString('utf8').trim() === '') return undefined;
  const parsed = body === null ? null : parseJson(body);
  if (parsed !== null) return parsed.value;
  throw new CommandProblem(`Expected a JSON body of at most ${maxControlBodyBytes} bytes.`);
};

const isAdjustableClock = (clock: MockClock): clock is AdjustableMockClock => 'advance' in clock;
const advanceSchema = z.strictObject({ advance: z.number().nonnegative() });

const commandsOf = (
  gateway: Gateway,
  clock: MockClock,
  readSettings: SettingsReader,
): Readonly<Record<string, Command>> => {
  const change: Command = async (body) => {
    const problem = gateway.changeSettings(await readSettings(body));
    if (problem !== null) throw new CommandProblem(problem);
    return gateway.behaviour();
  };
  const time = () => ({
    mode: isAdjustableClock(clock) ? 'hand' : 'real',
    now: clock.now(),
    wall: new Date(clock.wall()).toISOString(),
  });
  return {
    'GET /health': () => ({ status: 'ok' }),
    'GET /counters': () => gateway.counters(),
    'POST /reset': () => {
      gateway.reset();
      return gateway.counters();
    },
    'GET /settings': () => gateway.behaviour(),
    'PATCH /settings': change,
    'POST /settings': change,
    'GET /state': () => gateway.state(),
    'GET /ledger': () => gateway.ledger(),
    'GET /truth': () => {
      const traces = gateway.requestTraces();
      if (traces !== null) return traces;
      throw new CommandProblem(
        'The mock keeps no trace log: start it with --truth FILE or with the setting truth.',
      );
    },
    'GET /clock': time,
    'POST /clock': (body) => {
      if (!isAdjustableClock(clock))
        throw new CommandProblem('This mock uses the machine’s clock, which cannot be advanced.');
      const parsed = advanceSchema.safeParse(body);
      if (!parsed.success)
        throw new CommandProblem('Expected {"advance": MILLISECONDS} with a number of at least 0.');
      clock.advance(parsed.data.advance);
      return time();
    },
  };
};

/** Serves the control interface. `GET` requests read state. `POST` and `PATCH` requests change state. */
const controlListener = (
  gateway: Gateway,
  clock: MockClock,
  readSettings: SettingsReader,
): RequestListener => {
  const commands = commandsOf(gateway, clock, readSettings);
  const answer = async (response: ServerResponse, command: Command, body: Uint8Array | null) => {
    try {
      sendJson(response, 200, await command(parseControlBody(body)));
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      sendJson(response, 400, { error: error.message });
    }
  };
  return (request, response) => {
    const foreign = foreignCaller(request.headers);
    if (foreign !== null) {
      request.resume();
      return sendJson(response, 403, { error: foreign });
    }
    const requestLine = `${request.method} ${request.url}`;
    const command = Object.hasOwn(commands, requestLine) ? commands[requestLine] : undefined;
    readBody(request, maxControlBodyBytes, (body) => {
      if (command === undefined) {
        const known = Object.keys(commands).join(', ');
        return sendJson(response, 404, { error: `Expected one of: ${known}; got ${requestLine}.` });
      }
      void answer(response, command, body);
    });
  };
};

/**
 * An idle connection stays open for this many ms, as with common proxies. With Node's default of 5 s, the clients of
 * slow loads would have to reconnect.
 */
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

/**
 * Returns a function that closes a server and its connections. The returned function's promise resolves when the server
 * and all connections are closed.
 */
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
 * Starts the mock gateway on a public and a control port. Rejects with a `MockStartError` if the mock cannot listen or
 * cannot write its trace log, and with a ZodError for invalid settings. `readSettings` converts settings that are sent
 * to the control port.
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
      // Node checks at this interval, in ms, for requests that take too long.
      connectionsCheckingInterval: Math.min(30_000, Math.ceil(requestTimeout / 2)),
    },
    gateway.receive,
  );
  const control = createServer(controlListener(gateway, clock, readSettings));
  const closers = [publicServer, control].map(closerOf);
  const close = async (): Promise<void> => {
    // Wait for the end of this turn of the event loop: its answers are counted, but not yet written.
    await new Promise<void>((resolve) => clock.atEndOfTurn(resolve));
    gateway.stop();
    await Promise.all(closers.map((closeServer) => closeServer()));
    traceLog?.close();
  };
  try {
    const url = (await listenOn(publicServer, settings.host, settings.port)) + basePath;
    /** The address of the control server. The answer to an unknown command lists all commands. */
    const controlUrl = await listenOn(control, settings.host, settings.controlPort);
    return { url, controlUrl, counters: gateway.counters, close };
  } catch (problem) {
    await close();
    throw problem;
  }
};

export type Mock = Awaited<ReturnType<typeof startMock>>;

/** Returns the line that the mock's process prints when the mock listens: its addresses as JSON. */
export const readyLine = ({ url, controlUrl }: Mock): string =>
  JSON.stringify({ url, control: controlUrl });
