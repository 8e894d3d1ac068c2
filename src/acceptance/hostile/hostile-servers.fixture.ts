import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
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

const writeStep = async (socket: Socket, step: AttackStep): Promise<void> => {
  if (typeof step === 'string' || Buffer.isBuffer(step)) socket.write(step);
  else if ('end' in step) {
    if (step.end === 'close') socket.end();
    else socket.resetAndDestroy();
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

const play = async (socket: Socket, steps: readonly AttackStep[]): Promise<void> => {
  socket.setNoDelay(true);
  for (const step of steps) {
    if (socket.destroyed) return;
    await writeStep(socket, step);
  }
};

const formOf = (head: string, body: string): RequestForm => {
  const [, path = ''] = /^\S+ \S*\/v1(\S+)/.exec(head) ?? [];
  if (path === '/models') return 'models';
  if (path === '/audio/transcriptions') return 'transcription';
  if (path === '/chat/completions') return /"stream":\s*true/.test(body) ? 'chat-stream' : 'chat';
  const [, format = 'mp3'] = /"response_format":"(\w+)"/.exec(body) ?? [];
  return format === 'mp3' ? 'speech' : `speech-${format as 'wav' | 'opus'}`;
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

/** A TCP server on a free port of the loopback interface, all of whose connections `onConnection` handles. */
const listenOnLoopback = async (
  onConnection: (socket: Socket, index: number) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('end', () => socket.end());
    onConnection(socket, connections);
    connections += 1;
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
export const startHostileServer = async (attacks: readonly Attack[]): Promise<HostileServer> => {
  const served: ServedRequest[] = [];
  const counts = new Map<RequestForm, number>();
  const attackOf = new Map<string, Attack>();
  const { port, close } = await listenOnLoopback((socket) => {
    readRequests(socket, ({ id, form }) => {
      if (id === preflightId) {
        void play(socket, properSteps(form));
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
      void play(socket, attack.steps(form));
    });
  });
  return { url: `http://127.0.0.1:${port}/v1`, served, close };
};
