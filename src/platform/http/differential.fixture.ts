import http from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Transport } from '../../model/observation/exchange.ts';
import { startClock } from '../host/clock.ts';
import { type ScriptedServer, startScriptedServer } from '../connection/scripted-server.fixture.ts';
import { undiciTransport } from './undici-transport.ts';
import { socketTransport } from '../socket/socket-transport.ts';

/** Test support: the same bytes of a server, read by Weir's client, by undici and by Node's. */

/** The answer of a server to one request, in pieces, and what the server does then. */
export interface ScriptedResponse {
  readonly pieces: readonly Buffer[];
  readonly last: 'stays' | 'closes' | 'resets';
}

/** The result of one client: a whole answer, or the cause of its failure. */
export type ClientReading =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly failure: string };

const play = async (socket: Socket, { pieces, last }: ScriptedResponse): Promise<void> => {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    await nextTurn();
  }
  if (last === 'closes') socket.end();
  if (last === 'resets') socket.resetAndDestroy();
};

/** Removes the blanks behind a value, which undici keeps. They do not belong to it (RFC 9110, section 5.5). */
const trimmed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[ \t]+(?=,|$)/g, '')]),
  );

const askTransport = (transport: Transport, index: number): Promise<ClientReading> =>
  new Promise((resolve) => {
    let status = 0;
    let headers: Readonly<Record<string, string>> = {};
    let body = '';
    transport.send(
      { method: 'GET', path: `/${index}`, headers: {}, body: null },
      {
        onConnected: () => undefined,
        onReconnect: () => undefined,
        onSent: () => undefined,
        onHeaders: (_, readings, fields) => {
          status = readings;
          headers = trimmed(fields);
        },
        onChunk: (_, bytes) => {
          body += Buffer.from(bytes).toString('latin1');
        },
        onEnd: () => resolve({ status, headers, body }),
        onFailure: (_, failure) => resolve({ failure }),
      },
    );
  });

/** Joins repeated headers from the raw ones, since Node joins them by its own rules. */
const joined = (raw: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const value = raw[at + 1]!;
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return headers;
};

const nodeFailure = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'too-large';
  if (error.code?.startsWith('HPE_')) return 'protocol';
  return error.message === 'socket hang up' || error.message === 'aborted'
    ? 'closed-early'
    : 'reset';
};

const askNode = (url: string, index: number): Promise<ClientReading> =>
  new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ failure: nodeFailure(error) });
    const request = http.get(`${url}/${index}`, { agent: false, maxHeaderSize: 16_384 });
    request.on('error', fail);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('error', fail);
      response.on('end', () => {
        const { statusCode = 0, rawHeaders } = response;
        resolve({ status: statusCode, headers: trimmed(joined(rawHeaders)), body });
        request.destroy();
      });
    });
  });

/** The result of each client for the same bytes. */
export interface ClientReadings {
  readonly socket: ClientReading;
  readonly undici: ClientReading;
  readonly node: ClientReading;
}

/** A server that plays scripts, and three clients to listen. */
export class DifferentialServer {
  readonly #server: ScriptedServer;
  readonly #scripts: ScriptedResponse[];

  constructor(server: ScriptedServer, scripts: ScriptedResponse[]) {
    this.#server = server;
    this.#scripts = scripts;
  }

  static async open(): Promise<DifferentialServer> {
    const scripts: ScriptedResponse[] = [];
    const server = await startScriptedServer((socket, n) => {
      const index = Number(/\/(\d+) HTTP/.exec(server.requests[n] ?? '')?.[1]);
      void play(socket, scripts[index]!);
    });
    return new DifferentialServer(server, scripts);
  }

  async readWithAllClients(script: ScriptedResponse): Promise<ClientReadings> {
    const index = this.#scripts.push(script) - 1;
    const { url } = this.#server;
    const wire = { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true } as const;
    const base = { url, wire, certificates: null };
    const ours = socketTransport(base, startClock());
    const theirs = undiciTransport(base, startClock());
    const [socket, undici, node] = await Promise.all([
      askTransport(ours, index),
      askTransport(theirs, index),
      askNode(url, index),
    ]);
    await Promise.all([ours.close(), theirs.close()]);
    return { socket, undici, node };
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

const cutAt = (bytes: Buffer, places: readonly number[]): readonly Buffer[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))];
  const borders = [0, ...ends.sort((a, b) => a - b), bytes.length];
  return borders
    .slice(1)
    .map((to, n) => bytes.subarray(borders[n], to))
    .filter((piece) => piece.length > 0);
};

const names = ['X-A', 'x-b', 'Server', 'X-A', 'Date', 'Vary'] as const;

const framings = {
  length: (bodyText: string) => `Content-Length: ${bodyText.length}\r\n\r\n${bodyText}`,
  chunks: (bodyText: string) => {
    const half = Math.ceil(bodyText.length / 2);
    const parts = [bodyText.slice(0, half), bodyText.slice(half)].filter((part) => part !== '');
    const coded = parts.map((part) => `${part.length.toString(16)};e="1"\r\n${part}\r\n`);
    return `Transfer-Encoding: chunked\r\n\r\n${coded.join('')}0\r\nX-Sum: 1\r\n\r\n`;
  },
  close: (bodyText: string) => `\r\n${bodyText}`,
} as const;

const versions = fc.constantFrom('1.1', '1.1', '1.1', '1.0');
const interims = fc.constantFrom('', '', '', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
const statuses = fc.constantFrom('200 OK', '200', '404 Not', '429 Too Many', '204 No', '304 Not');
const connections = fc.constantFrom(
  '',
  '',
  'Connection: close\r\n',
  'Connection: keep-alive\r\n',
  'Keep-Alive: timeout=3\r\n',
);
const headerLine = fc
  .tuple(fc.constantFrom(...names), fc.stringMatching(/^[ -~]{0,12}$/))
  .map(([name, value]) => `${name}: ${value}\r\n`);
const bodyText = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));

interface Response {
  readonly text: string;
  /** Whether only the connection's close ends it. */
  readonly endsByClose: boolean;
}

/** Whole responses of every framing. */
const responses = fc
  .record({
    opening: fc.tuple(interims, versions, statuses),
    fields: fc.array(headerLine, { maxLength: 4 }),
    connection: connections,
    framing: fc.constantFrom(...(['length', 'chunks', 'close'] as const)),
    body: bodyText,
  })
  .map(({ opening, fields, connection, framing, body }): Response => {
    const [interim, version, status] = opening;
    const isBodyless = status.startsWith('204') || status.startsWith('304');
    const head = `${interim}HTTP/${version} ${status}\r\n${fields.join('')}${connection}`;
    return {
      text: isBodyless ? `${head}\r\n` : head + framings[framing](body),
      endsByClose: framing === 'close' && !isBodyless,
    };
  });

const places = fc.array(fc.nat(500), { maxLength: 4 });

/** Whole responses, cut anywhere. */
export const validScripts: fc.Arbitrary<ScriptedResponse> = fc
  .tuple(responses, places, fc.constantFrom(...(['stays', 'closes', 'resets'] as const)))
  .map(([{ text, endsByClose }, cuts, last]) => ({
    pieces: cutAt(Buffer.from(text, 'latin1'), cuts),
    last: endsByClose ? 'closes' : last,
  }));

const corruptions = ['', '', '\r', '\n', '\r\n', '\r\n\r\n', ...' \t:,;05fg\0\x7f-+"='];
const edit = fc.tuple(fc.nat(400), fc.nat(4), fc.constantFrom(...corruptions));

/** Responses in which bytes were removed and inserted. Some of them break off. */
export const corruptScripts: fc.Arbitrary<ScriptedResponse> = fc
  .tuple(responses, fc.array(edit, { minLength: 1, maxLength: 3 }), places, fc.nat(8))
  .map(([{ text }, edits, cuts, share]) => {
    let corrupted = text;
    for (const [at, removed, inserted] of edits) {
      const place = at % (corrupted.length + 1);
      corrupted = corrupted.slice(0, place) + inserted + corrupted.slice(place + removed);
    }
    const kept = share === 0 ? corrupted.slice(0, Math.floor(corrupted.length / 2)) : corrupted;
    return { pieces: cutAt(Buffer.from(kept, 'latin1'), cuts), last: 'closes' };
  });

const isSame = (one: ClientReading, other: ClientReading): boolean => isDeepStrictEqual(one, other);

/** Interim responses, which come before the one that counts. */
const interimResponses = /^(?:HTTP\/1\.\d 1\d\d[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n)+/;

/** Whether more bytes came than the declared length of the response. */
const hasTrailingBytes = (sent: string): boolean => {
  const last = sent.replace(interimResponses, '');
  const [, head = '', body = ''] = /^(.*?\r?\n)\r?\n(.*)$/s.exec(last) ?? [];
  const [, length] = /^content-length:[ \t]*(\d+)[ \t]*\r?$/im.exec(head) ?? [];
  return length !== undefined && body.length > Number(length);
};

/** The known differences of Weir's client from both others, with their reasons. */
const knownDifferences: Readonly<
  Record<string, (readings: ClientReadings, sent: string) => boolean>
> = {
  'a head that is cut off is reported as cut off, since its lines are judged only once it is whole':
    ({ socket }) => 'failure' in socket && socket.failure === 'closed-early',
  'another version is rejected at its first digit': (_, sent) =>
    /(?:^|\n)HTTP\/[^1][^\r\n]*$/.test(sent),
  'no status is below 100 (RFC 9110, section 15)': (_, sent) => /HTTP\/1\.\d 0\d\d/.test(sent),
  'a reason phrase holds no control characters (RFC 9112, section 4)': ({ socket }, sent) =>
    'failure' in socket &&
    socket.failure === 'protocol' &&
    /HTTP\/1\.\d \d{3} [^\r\n]*[\0-\x08\x0b-\x1f\x7f]/.test(sent),
  // The others take the body as it comes, so damaged chunks fail only for Weir's client.
  'a tab behind "chunked" is a blank, no part of it (RFC 9110, section 5.5)': (_, sent) =>
    /^transfer-encoding:[ \t]*chunked *\t[ \t]*\r?$/im.test(sent),
  'a folded line goes on with the one before it, as with curl, Go and h11 (RFC 9112, section 5.2)':
    ({ undici, node }, sent) => 'failure' in undici && 'failure' in node && /\r\n[ \t]/.test(sent),
  'bytes behind an answer cost its connection, not the answer': ({ socket }, sent) =>
    'status' in socket && hasTrailingBytes(sent),
};

/**
 * Returns what is wrong with the result of Weir's client, or `null`. It must match one of the others, or differ for a
 * known reason.
 */
export const disagreement = (
  readings: ClientReadings,
  { pieces }: ScriptedResponse,
): string | null => {
  if (isSame(readings.socket, readings.undici) || isSame(readings.socket, readings.node))
    return null;
  const sent = Buffer.concat([...pieces]).toString('latin1');
  if (Object.values(knownDifferences).some((permits) => permits(readings, sent))) return null;
  return `${JSON.stringify(sent)}\n${JSON.stringify(readings, null, 2)}`;
};
