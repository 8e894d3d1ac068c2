import tls from 'node:tls';
import type { ExchangeObserver, TransportName } from '../../model/observation/exchange.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { startClock } from '../../platform/host/clock.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ignoreExchange, openBareSocket } from '../harness/bare-client.ts';
import { rawRequest, smallChat, smallChatHeaders } from '../harness/chat-bytes.ts';

/** How the clients of a bench open a streamed chat and hear of it; all instants are on the machine's monotonic clock, in ms. */

/** One of our transports, or `net`, the minimal Node client: a socket that reads into one buffer. */
export type StreamClient = TransportName | 'net';

export interface StreamTarget {
  readonly url: string;
  /** The server's certificate, PEM; `null` without TLS. */
  readonly certificate: string | null;
}

export interface StreamListener {
  /** The request is about to be written. */
  readonly onSent?: (at: number) => void;
  /** The answer begins. */
  readonly onBegun?: () => void;
  /** Bytes were read, which are valid during the call only. */
  readonly onRead: (at: number, bytes: Uint8Array) => void;
  /** The stream has ended; `net` does not notice. */
  readonly onEnd?: () => void;
}

export type OpenStream = (requestId: string, listener: StreamListener) => void;

const clock = startClock();

/** The instant of now. */
export const machineNow = (): number => clock.now() + clock.machineZero;

const body = JSON.stringify({ ...smallChat, stream: true });

const bareStreamOpener = ({ url, certificate }: StreamTarget): OpenStream => {
  const port = Number(new URL(url).port);
  /** Made once, as a program does that opens many connections. */
  const secureContext =
    certificate === null ? undefined : tls.createSecureContext({ ca: certificate });
  return (requestId, { onSent, onBegun, onRead }) => {
    let isFirst = true;
    const onBytes = (length: number, bytes: Uint8Array): void => {
      const at = machineNow();
      if (isFirst) onBegun?.();
      isFirst = false;
      onRead(at, bytes.subarray(0, length));
    };
    const request = Buffer.from(rawRequest(body, requestId));
    const socket = openBareSocket(port, request, onBytes, secureContext);
    // Before the listener that writes the request.
    socket.prependOnceListener('connect', () => onSent?.(machineNow()));
  };
};

const transportStreamOpener = (
  name: TransportName,
  { url, certificate }: StreamTarget,
): OpenStream => {
  const target = {
    url,
    wire: directWire,
    certificates: certificate === null ? null : { authorities: certificate, client: null },
  };
  const transport = openTransport(name, target, clock);
  return (requestId, { onSent, onBegun, onRead, onEnd }) => {
    const headers = { ...smallChatHeaders, 'x-request-id': requestId };
    const observer: ExchangeObserver = {
      ...ignoreExchange,
      onSent: (at) => onSent?.(at + clock.machineZero),
      onHeaders: () => onBegun?.(),
      onChunk: (at, bytes) => onRead(at + clock.machineZero, bytes),
      onEnd: () => onEnd?.(),
    };
    transport.send({ method: 'POST', path: '/', headers, body: Buffer.from(body) }, observer);
  };
};

/** What opens streams by a client. */
export const streamOpener = (client: StreamClient, target: StreamTarget): OpenStream =>
  client === 'net' ? bareStreamOpener(target) : transportStreamOpener(client, target);
