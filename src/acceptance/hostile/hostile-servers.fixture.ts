import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { preflightId } from '../../contract/routes.ts';
import {
  type Attack,
  type AttackFamily,
  type AttackStep,
  framed,
  headFor,
  properAnswers,
  type RequestForm,
} from './attack.fixture.ts';
import { audio, eventStreams, json } from './attacks-in-content.fixture.ts';
import { depth } from './attacks-by-depth.fixture.ts';
import { limits, timing } from './attacks-in-time.fixture.ts';
import { bodies, chunkedCoding, heads, statusLines } from './attacks-on-http.fixture.ts';

export const attacksByFamily: Readonly<Record<AttackFamily, readonly Attack[]>> = {
  'status lines': statusLines,
  heads,
  'chunked coding': chunkedCoding,
  bodies,
  'event streams': eventStreams,
  JSON: json,
  depth,
  timing,
  audio,
  limits,
};

/** Families with answers of megabytes: few at once show what one costs. */
export const largeFamilies: readonly AttackFamily[] = [
  'status lines',
  'bodies',
  'event streams',
  'JSON',
];
export const smallFamilies: readonly AttackFamily[] = [
  'heads',
  'chunked coding',
  'timing',
  'audio',
  'limits',
];

/** One request that a server received, and how it was answered. */
export interface ServedRequest {
  readonly id: string;
  readonly form: RequestForm;
  readonly attack: Attack;
}

export interface HostileServer {
  readonly url: string;
  /** Every request except Weir's first look, in the order of their ends. */
  readonly served: readonly ServedRequest[];
  close(): Promise<void>;
}

const dripGap = 100;

/** Only a TCP socket can send a reset: a TLS connection's `transport` is the one below it. */
const writeStep = async (socket: Socket, transport: Socket, step: AttackStep): Promise<void> => {
  if (typeof step === 'string' || Buffer.isBuffer(step)) socket.write(step);
  else if ('end' in step) {
    if (step.end === 'close') socket.end();
    else {
      // A reset discards what TLS has not passed on yet.
      if (socket !== transport)
        await new Promise<void>((resolve) => socket.write('', () => resolve()));
      transport.resetAndDestroy();
    }
  } else if ('bytewise' in step) {
    for (const byte of Buffer.from(step.bytewise as string)) {
      socket.write(Buffer.of(byte));
      await nextTurn();
    }
  } else if ('drip' in step) {
    for (const byte of Buffer.from(step.drip)) {
      if (socket.destroyed) return;
      socket.write(Buffer.of(byte));
      await pause(dripGap);
    }
  } else {
    for (let count = 0; count < step.times && !socket.destroyed; count += 1) {
      if (!socket.write(step.repeat)) await drained(socket);
    }
  }
};

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.once('drain', done).once('close', done);
    if (socket.destroyed) done();
  });

const play = async (
  socket: Socket,
  transport: Socket,
  steps: readonly AttackStep[],
): Promise<void> => {
  transport.setNoDelay(true);
  for (const step of steps) {
    if (socket.destroyed) return;
    await writeStep(socket, transport, step);
  }
};

const formOf = (head: string, body: string): RequestForm => {
  const [, path = ''] = /^\S+ \S*\/v1(\S+)/.exec(head) ?? [];
  if (path === '/models') return 'models';
  if (path === '/audio/transcriptions') return 'transcription';
  if (path === '/chat/completions') return /"stream":\s*true/.test(body) ? 'chat-stream' : 'chat';
  const [, format] = /"response_format":"(wav|opus)"/.exec(body) ?? [];
  return format === undefined ? 'speech' : `speech-${format as 'wav' | 'opus'}`;
};

const headEnd = Buffer.from('\r\n\r\n');

interface WholeRequest {
  readonly id: string;
  readonly form: RequestForm;
}

/** Calls back for every whole request of a connection. */
const readRequests = (socket: Socket, onRequest: (request: WholeRequest) => void): void => {
  let waiting = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    for (;;) {
      const at = waiting.indexOf(headEnd);
      if (at === -1) return;
      const head = waiting.toString('latin1', 0, at);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const end = at + headEnd.length + length;
      if (waiting.length < end) return;
      const form = formOf(head, waiting.toString('latin1', at, Math.min(end, at + 65_536)));
      const id = /^x-request-id: *(\S+)/im.exec(head)?.[1] ?? '';
      waiting = waiting.subarray(end);
      onRequest({ id, form });
    }
  });
};

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

type ConnectionHandler = (socket: Socket, transport: Socket) => void;

/** A TCP server on a free port of the loopback interface, over TLS with a certificate, all of whose connections `onConnection` handles. */
const listenOnLoopback = async (
  certificate: Certificate | null,
  onConnection: ConnectionHandler,
): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const sockets = new Set<Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (transport) => {
    const socket =
      certificate === null
        ? transport
        : new TLSSocket(transport, { isServer: true, ...certificate });
    for (const each of new Set([transport, socket])) {
      sockets.add(each);
      each.on('error', () => undefined);
      each.on('close', () => sockets.delete(each));
    }
    socket.on('end', () => socket.end());
    onConnection(socket, transport);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const properSteps = (form: RequestForm): readonly AttackStep[] => [
  headFor(form),
  framed(properAnswers[form].body),
];

/** What a proper server does, to compare with. */
export const noAttack: Attack = {
  name: 'a proper answer',
  forms: ['chat', 'chat-stream', 'speech', 'speech-wav', 'speech-opus', 'transcription', 'models'],
  steps: properSteps,
  outcomes: ['completed'],
  byUndici: [],
};

/**
 * Answers the requests of each form with its attacks in turn, and Weir's first look properly. A
 * saturating client uses an id again; the same attack answers it then.
 */
export const startHostileServer = async (
  attacks: readonly Attack[],
  certificate: Certificate | null = null,
): Promise<HostileServer> => {
  const served: ServedRequest[] = [];
  const counts = new Map<RequestForm, number>();
  const attackOf = new Map<string, Attack>();
  const { port, close } = await listenOnLoopback(certificate, (socket, transport) => {
    readRequests(socket, ({ id, form }) => {
      if (id === preflightId) {
        void play(socket, transport, properSteps(form));
        return;
      }
      let attack = attackOf.get(id);
      if (attack === undefined) {
        const suited = attacks.filter(({ forms }) => forms.includes(form));
        const count = counts.get(form) ?? 0;
        counts.set(form, count + 1);
        attack = suited[count % suited.length] ?? noAttack;
        attackOf.set(id, attack);
      }
      served.push({ id, form, attack });
      void play(socket, transport, attack.steps(form));
    });
  });
  const scheme = certificate === null ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${port}/v1`, served, close };
};
