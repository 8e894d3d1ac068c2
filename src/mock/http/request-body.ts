import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { RequestRefusal } from '../errors/request-refusal.ts';
import type { MockExchange } from './mock-exchange.ts';

/** The largest request body, in bytes: 16 MiB, above the largest context window (interface 2.1: a million tokens). */
export const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Calls `onBody` once: with the bytes, or with `null` as soon as the body is too large; the rest is then discarded
 * while it is received. A client that disconnects gets no call.
 */
export const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  onBody: (body: Uint8Array | null) => void,
): void => {
  let chunks: Uint8Array[] = [];
  let size = 0;
  const addChunk = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > maxBytes) discard();
    else chunks.push(chunk);
  };
  const finish = (): void => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  const discard = (): void => {
    request.off('data', addChunk).off('end', finish).resume();
    chunks = [];
    onBody(null);
  };
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) discard();
  else request.on('data', addChunk).on('end', finish);
};

/** Reads the body of a request, or refuses it if it is too large. */
export const readRequestBody = (exchange: MockExchange, onBody: (body: Uint8Array) => void): void =>
  readBody(exchange.request, maxBodyBytes, (body) => {
    if (!exchange.isOpen) return;
    exchange.attempt(() => {
      if (body !== null) return onBody(body);
      const message = `The request body is larger than ${maxBodyBytes} bytes.`;
      throw new RequestRefusal('too-large', message);
    });
  });

const describeIssue = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_union'
    ? issue.errors
        .flatMap(([first]) => (first === undefined ? [] : describeIssue(first)))
        .join('; or ')
    : issue.message.replace(/^Invalid input: /, '');

/** The refusal of a body that does not match its schema, with every wrong parameter. */
export const invalidParameters = (error: z.ZodError): RequestRefusal => {
  const messages = error.issues.map((issue) => {
    const place = z.core.toDotPath(issue.path) || 'request body';
    return `Invalid ${place}: ${describeIssue(issue)}.`;
  });
  return new RequestRefusal('invalid-parameter', messages.join(' '));
};

/** The refusal of a field that would change the answer, which the interface does not have. */
export const unservedField = (field: string): RequestRefusal =>
  new RequestRefusal(
    'unsupported-parameter',
    `Unsupported parameter: ${field} is not part of this interface.`,
  );

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON in UTF-8; `null` if it is none. */
export const parseJson = (body: Uint8Array): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    return null;
  }
};

/** Parses a body by its schema, or refuses it. */
export const readJsonBody = <Schema extends z.ZodType>(
  body: Uint8Array,
  schema: Schema,
): z.output<Schema> => {
  const json = parseJson(body);
  if (json === null) {
    throw new RequestRefusal('not-json', 'The request body is not JSON in UTF-8.');
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  throw invalidParameters(parsed.error);
};
