import type { Writable } from 'node:stream';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { framingFields, isFieldName, isFieldValue } from '../../model/observation/header-fields.ts';
import { HttpFault } from './response-head.ts';

const invalidPathCharacter = /[^\x21-\x7e]/;

const headerFault = (name: string, why: string): HttpFault =>
  new HttpFault('protocol', `the request header ${JSON.stringify(name)} cannot be sent: ${why}`);

interface RequestFraming {
  host: string;
  closes: boolean;
  readonly length: number | null;
}

/**
 * Applies a request header that concerns the framing to `framing`. Accepts only a valid host, `connection: close`, and
 * the right content length. Returns an empty text, or the fault of a header that is not accepted.
 */
const setFraming = (framing: RequestFraming, name: string, value: string): '' | HttpFault => {
  if (name === 'host' && isFieldValue(value)) framing.host = value;
  else if (name === 'connection' && value === 'close') framing.closes = true;
  else if (name !== 'content-length' || value !== String(framing.length))
    return headerFault(name, 'the transport sets the framing of requests');
  return '';
};

/**
 * Writes the heads of requests to one target. The parts that are equal in all requests are checked and formatted once.
 * The line of a header is kept until its value changes.
 */
export class RequestHeadWriter {
  readonly #host: string;
  readonly #pathFor: (path: string) => string;
  readonly #requestLines = { GET: new Map<string, string>(), POST: new Map<string, string>() };
  readonly #lines = new Map<string, { readonly value: string; readonly line: string }>();

  /** `pathFor` takes a path below the base address and returns the path that is sent. */
  constructor(host: string, pathFor: (path: string) => string) {
    this.#host = host;
    this.#pathFor = pathFor;
  }

  /**
   * Writes the head of a request. `closes` in the result says whether the request asks the server to close the
   * connection.
   */
  write({
    method,
    path,
    headers,
    body,
  }: WireRequest): { text: string; closes: boolean } | HttpFault {
    const opening = this.#opening(method, path);
    if (opening instanceof HttpFault) return opening;
    // A POST without content has `content-length: 0` (RFC 9110, section 8.6).
    const length = body === null && method === 'GET' ? null : (body?.length ?? 0);
    const framing = { host: this.#host, closes: false, length };
    let lines = '';
    for (const name in headers) {
      const line = framingFields.has(name)
        ? setFraming(framing, name, headers[name]!)
        : this.#line(name, headers[name]!);
      if (line instanceof HttpFault) return line;
      lines += line;
    }
    const connection = framing.closes ? 'close' : 'keep-alive';
    const lengthLine = length === null ? '' : `content-length: ${length}\r\n`;
    const own = `host: ${framing.host}\r\nconnection: ${connection}\r\n`;
    return { text: `${opening}${own}${lines}${lengthLine}\r\n`, closes: framing.closes };
  }

  #opening(method: WireRequest['method'], path: string): string | HttpFault {
    const known = this.#requestLines[method].get(path);
    if (known !== undefined) return known;
    if (invalidPathCharacter.test(path)) {
      return new HttpFault(
        'protocol',
        'the request path contains a blank or a character outside ASCII',
      );
    }
    const opening = `${method} ${this.#pathFor(path)} HTTP/1.1\r\n`;
    this.#requestLines[method].set(path, opening);
    return opening;
  }

  #line(name: string, value: string): string | HttpFault {
    const known = this.#lines.get(name);
    if (known?.value === value) return known.line;
    if (known === undefined && !isFieldName(name))
      return headerFault(name, 'its name is not a valid header name');
    if (!isFieldValue(value))
      return headerFault(name, 'its value contains a character that headers cannot contain');
    const line = `${name}: ${value}\r\n`;
    this.#lines.set(name, { value, line });
    return line;
  }
}

/** The size of the shared buffer of a `RequestWriter`, in bytes. A larger request is written to the socket directly. */
const sharedBufferSize = 64 * 1024;

/** Writes requests. Small requests are assembled in one buffer that all connections share. */
export class RequestWriter {
  #sharedBuffer = Buffer.allocUnsafeSlow(sharedBufferSize);
  /** The shared buffer is free from this offset on. Sockets may still use the bytes before it. */
  #free = 0;

  /** Writes a request. `head` is Latin-1. The caller must not change the body before the body is sent. */
  write(socket: Writable, head: string, body: Uint8Array | null): void {
    const size = head.length + (body?.length ?? 0);
    if (size > sharedBufferSize) {
      socket.cork();
      socket.write(head, 'latin1');
      if (body !== null) socket.write(body);
      return socket.uncork();
    }
    if (this.#free + size > sharedBufferSize) {
      this.#sharedBuffer = Buffer.allocUnsafeSlow(sharedBufferSize);
      this.#free = 0;
    }
    const [sharedBuffer, from] = [this.#sharedBuffer, this.#free];
    sharedBuffer.write(head, from, 'latin1');
    if (body !== null) sharedBuffer.set(body, from + head.length);
    socket.write(sharedBuffer.subarray(from, from + size));
    // If the system has not accepted all bytes, the socket still uses these bytes, so the offset moves past them. Over
    // TLS, this is always the case.
    if (socket.writableLength > 0) this.#free += size;
  }
}
