import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { MockClock, AdjustableMockClock } from '../clock/mock-clock.ts';
import type { Gateway } from './gateway.ts';

/** What a command answers: a value, or a sentence on what is wrong with the request. */
type CommandReply = { readonly value: unknown } | { readonly problem: string };
type Command = (body: unknown) => CommandReply;

/** Puts settings in another notation into that of `Settings`; what it cannot read stays as it is. */
export type SettingsReader = (written: unknown) => unknown;

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const maxControlBodyBytes = 1024 * 1024;

/** Reads a JSON body; without one it is `undefined`. What is not JSON, or too long, is told as `null`. */
const readControlBody = (
  request: IncomingMessage,
  onBody: (body: { readonly value: unknown } | null) => void,
): void => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  request.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= maxControlBodyBytes) chunks.push(chunk);
  });
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    if (size > maxControlBodyBytes) onBody(null);
    else if (text.trim() === '') onBody({ value: undefined });
    else {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        onBody(null);
        return;
      }
      onBody({ value });
    }
  });
};

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
        return { problem: 'This mock follows the machine’s clock, which cannot be moved.' };
      }
      const parsed = advanceSchema.safeParse(body);
      if (!parsed.success) {
        return { problem: 'Expected {"advance": milliseconds}, with 0 or more milliseconds.' };
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
      const truth = gateway.requestTraces();
      return truth === null
        ? {
            problem:
              'No truth is kept: start the mock with --truth FILE, or with the setting truth.',
          }
        : { value: truth };
    },
  };
};

/** The control interface, on a port of its own; `GET` reads, `POST` and `PATCH` change. */
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
