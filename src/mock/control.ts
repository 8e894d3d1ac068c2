import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { MockClock, MovableClock } from './clock.ts';
import type { Gateway } from './gateway.ts';

/** What a command answers: a value, or a sentence on what is wrong with the request. */
type Reply = { readonly value: unknown } | { readonly problem: string };
type Command = (body: unknown) => Reply;

/** Puts settings in another notation into that of `Settings`; what it cannot read stays as it is. */
export type SettingsReader = (written: unknown) => unknown;

const tell = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const largestBody = 1024 * 1024;

/** Reads a JSON body; without one it is `undefined`. What is not JSON, or too long, is told as `null`. */
const readJson = (
  request: IncomingMessage,
  use: (body: { readonly value: unknown } | null) => void,
): void => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  request.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size <= largestBody) chunks.push(chunk);
  });
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    if (size > largestBody) use(null);
    else if (text.trim() === '') use({ value: undefined });
    else {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        use(null);
        return;
      }
      use({ value });
    }
  });
};

const isByHand = (clock: MockClock): clock is MovableClock => 'advance' in clock;
const advanceSchema = z.strictObject({ advance: z.number().nonnegative() });

const clockCommands = (clock: MockClock): Readonly<Record<string, Command>> => {
  const time = () => ({
    mode: isByHand(clock) ? 'hand' : 'real',
    now: clock.now(),
    wall: new Date(clock.wall()).toISOString(),
  });
  return {
    'GET /clock': () => ({ value: time() }),
    'POST /clock': (body) => {
      if (!isByHand(clock)) {
        return { problem: 'This mock follows the machine’s clock, which cannot be moved.' };
      }
      const order = advanceSchema.safeParse(body);
      if (!order.success) {
        return { problem: 'Expected {"advance": milliseconds}, with 0 or more milliseconds.' };
      }
      clock.advance(order.data.advance);
      return { value: time() };
    },
  };
};

const gatewayCommands = (
  gateway: Gateway,
  readSettings: SettingsReader,
): Readonly<Record<string, Command>> => {
  const change: Command = (body) => {
    const problem = gateway.change(readSettings(body));
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
      const truth = gateway.truth();
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
    const asked = `${request.method} ${request.url}`;
    const command = Object.hasOwn(commands, asked) ? commands[asked] : undefined;
    readJson(request, (body) => {
      if (command === undefined) {
        const known = Object.keys(commands).join(', ');
        tell(response, 404, { error: `Expected one of: ${known}; got ${asked}.` });
        return;
      }
      const reply =
        body === null
          ? { problem: `Expected a JSON body of at most ${largestBody} bytes.` }
          : command(body.value);
      if ('problem' in reply) tell(response, 400, { error: reply.problem });
      else tell(response, 200, reply.value);
    });
  };
};
