import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { MockClock, AdjustableMockClock } from '../clock/mock-clock.ts';
import { parseJson, readBody } from '../http/request-body.ts';
import type { Gateway } from './gateway.ts';

/** The reply of a command: a value or an error message. */
type CommandReply = { readonly value: unknown } | { readonly problem: string };
type Command = (body: unknown) => CommandReply;

/** Converts settings from another notation into that of `Settings`; leaves what it cannot convert. */
export type SettingsReader = (written: unknown) => unknown;

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const maxControlBodyBytes = 1024 * 1024;

/** Calls `onBody` with the JSON of a body, `undefined` for an empty one; with `null` if it is invalid or too long. */
const readControlBody = (
  request: IncomingMessage,
  onBody: (body: { readonly value: unknown } | null) => void,
): void =>
  readBody(request, maxControlBodyBytes, (body) => {
    if (body === null) onBody(null);
    else if (Buffer.from(body).toString('utf8').trim() === '') onBody({ value: undefined });
    else onBody(parseJson(body));
  });

const isAdjustableClock = (clock: MockClock): clock is AdjustableMockClock => 'advance' in clock;
const advanceSchema = z.strictObject({ advance: z.number().nonnegative() });

const clockCommands = (clock: MockClock): Readonly<Record<string, Command>> => {
  const time = () => ({
    mode: isAdjustableClock(clock) ? 'hand' : 'real',
    now: clock.now(),
    wall: new Date(clock.wall()).toISOString(),
  });
  return {
    'GET /clock': () => ({ value: time() }),
    'POST /clock': (body) => {
      if (!isAdjustableClock(clock)) {
        return { problem: 'This mock uses the machine’s clock, which cannot be advanced.' };
      }
      const parsed = advanceSchema.safeParse(body);
      if (!parsed.success) {
        return { problem: 'Expected {"advance": MILLISECONDS} with a number of at least 0.' };
      }
      clock.advance(parsed.data.advance);
      return { value: time() };
    },
  };
};

const gatewayCommands = (
  gateway: Gateway,
  readSettings: SettingsReader,
): Readonly<Record<string, Command>> => {
  const change: Command = (body) => {
    const problem = gateway.changeSettings(readSettings(body));
    return problem === null ? { value: gateway.behaviour() } : { problem };
  };
  return {
    'GET /health': () => ({ value: { status: 'ok' } }),
    'GET /counters': () => ({ value: gateway.counters() }),
    'POST /reset': () => {
      gateway.reset();
      return { value: gateway.counters() };
    },
    'GET /settings': () => ({ value: gateway.behaviour() }),
    'PATCH /settings': change,
    'POST /settings': change,
    'GET /state': () => ({ value: gateway.state() }),
    'GET /ledger': () => ({ value: gateway.ledger() }),
    'GET /truth': () => {
      const traces = gateway.requestTraces();
      return traces === null
        ? {
            problem:
              'The mock keeps no trace log: start it with --truth FILE or with the setting truth.',
          }
        : { value: traces };
    },
  };
};

/** The control interface, on its own port; `GET` reads, `POST` and `PATCH` change. */
export const controlListener = (
  gateway: Gateway,
  clock: MockClock,
  readSettings: SettingsReader,
): RequestListener => {
  const commands = { ...gatewayCommands(gateway, readSettings), ...clockCommands(clock) };
  return (request, response) => {
    const requestLine = `${request.method} ${request.url}`;
    const command = Object.hasOwn(commands, requestLine) ? commands[requestLine] : undefined;
    readControlBody(request, (body) => {
      if (command === undefined) {
        const known = Object.keys(commands).join(', ');
        sendJson(response, 404, { error: `Expected one of: ${known}; got ${requestLine}.` });
        return;
      }
      const reply =
        body === null
          ? { problem: `Expected a JSON body of at most ${maxControlBodyBytes} bytes.` }
          : command(body.value);
      if ('problem' in reply) sendJson(response, 400, { error: reply.problem });
      else sendJson(response, 200, reply.value);
    });
  };
};
