import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { MockClock, AdjustableMockClock } from '../clock/mock-clock.ts';
import { parseJson, readBody } from '../http/request-body.ts';
import type { Gateway } from './gateway.ts';

/** Returns the reply to a body, or throws a `CommandProblem`. */
type Command = (body: unknown) => unknown;

class CommandProblem extends Error {}

/** Converts settings from another notation into that of `Settings`; leaves what it cannot convert. */
export type SettingsReader = (written: unknown) => unknown;

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/** The hosts that no web page can have: addresses, `localhost`, and one-word names of machines or containers. */
const ownHost = /^(?:\[[\da-f:.]+\]|[\d.]+|[\w-]+)(?::\d+)?$/i;

/** Returns why a request is refused if a browser sent it for a web page, whose site may resolve to this address. */
const foreignCaller = ({ host = '', origin, ...headers }: IncomingHttpHeaders): string | null => {
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return 'The control port takes no requests from web pages; use curl or a program.';
  return ownHost.test(host)
    ? null
    : `The control port expects its address in the header Host; got ${JSON.stringify(host)}.`;
};

const maxControlBodyBytes = 1024 * 1024;

/** Parses a body as JSON; `undefined` if it is empty. */
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
  const change: Command = (body) => {
    const problem = gateway.changeSettings(readSettings(body));
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

/** Serves the control interface: `GET` reads, `POST` and `PATCH` change. */
export const controlListener = (
  gateway: Gateway,
  clock: MockClock,
  readSettings: SettingsReader,
): RequestListener => {
  const commands = commandsOf(gateway, clock, readSettings);
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
      try {
        sendJson(response, 200, command(parseControlBody(body)));
      } catch (error) {
        if (!(error instanceof CommandProblem)) throw error;
        sendJson(response, 400, { error: error.message });
      }
    });
  };
};
