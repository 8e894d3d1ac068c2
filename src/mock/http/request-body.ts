import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { RequestRefusal } from '../errors/mock-errors.ts';
import type { MockExchange } from './mock-exchange.ts';
import { createHash } from 'node:crypto';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { maxUploadBytes } from '../../contract/audio.ts';

/** The maximum size of a request body: 16 MiB, which is more than the largest context window needs (interface 2.1). */
export const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Calls `onBody` once: with the bytes, or with `null` as soon as there are more than `maxBytes` bytes. Does not call
 * `onBody` if the client has disconnected.
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

/** Reads the body of a request, or refuses the request if the body is too large. */
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

/** Returns the refusal of a body that does not match its schema. The message names every wrong parameter. */
export const invalidParameters = (error: z.ZodError): RequestRefusal => {
  const messages = error.issues.map((issue) => {
    const place = z.core.toDotPath(issue.path) || 'request body';
    return `Invalid ${place}: ${describeIssue(issue)}.`;
  });
  return new RequestRefusal('invalid-parameter', messages.join(' '));
};

/** Returns the refusal for a field that would change the answer but that the interface does not define. */
export const unservedField = (field: string): RequestRefusal =>
  new RequestRefusal(
    'unsupported-parameter',
    `Unsupported parameter: ${field} is not part of this interface.`,
  );

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON in UTF-8; `null` if the JSON or the UTF-8 is invalid. */
export const parseJson = (body: Uint8Array): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(utf8.decode(body)) };
  } catch {
    return null;
  }
};

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

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The SHA-256 of the bytes. */
  readonly digest: Buffer;
}

const multipart = /^multipart\/form-data\s*;.*\bboundary="?[^\s";]/i;
/** The name of the part with the file (interface 4.4). Other parts with a file name are ignored. */
const filePart = 'file';
/** The maximum size of a form without its file, in bytes. */
const maxFormOverhead = 1024 * 1024;
const partLimits = { fields: 64, files: 4, fieldSize: 8192, headerPairs: 64 };

const tooLarge = (): RequestRefusal =>
  new RequestRefusal('too-large', `The file is larger than ${maxUploadBytes} bytes.`);

const malformedForm = (problem: string): RequestRefusal => {
  const message = `The request body is not a complete multipart form: ${problem}.`;
  return new RequestRefusal('malformed-form', message);
};

const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');

const openForm = (request: IncomingMessage): BusboyInstance | RequestRefusal => {
  const { 'content-type': contentType = '' } = request.headers;
  if (!multipart.test(contentType)) {
    return malformedForm('expected content-type multipart/form-data with a boundary');
  }
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { ...partLimits, fileSize: maxUploadBytes },
      isPartAFile: (_, __, fileName) => fileName !== undefined,
    });
  } catch (error) {
    return malformedForm(errorText(error));
  }
};

/** Collects the file and all values of each field. Calls `onLimitExceeded` if a part is too large. */
const collectParts = (form: BusboyInstance, onLimitExceeded: (refusal: RequestRefusal) => void) => {
  const fields = new Map<string, readonly string[]>();
  let file = null as (() => UploadedFile) | null;
  // A part may have no name, contrary to the library's types.
  form.on('field', (name: string | undefined, value, _, truncated) => {
    if (name === undefined) return;
    if (truncated) onLimitExceeded(malformedForm(`the field ${JSON.stringify(name)} is too long`));
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  form.on('file', (part, stream, name) => {
    // This listener does nothing, since the form also reports the errors of its parts.
    stream.on('error', () => undefined);
    stream.on('limit', () => onLimitExceeded(tooLarge()));
    if (part !== filePart || file !== null) return void stream.resume();
    const chunks: Uint8Array[] = [];
    const hash = createHash('sha256');
    stream.on('data', (chunk: Uint8Array) => {
      hash.update(chunk);
      chunks.push(chunk);
    });
    file = () => ({ name, bytes: Buffer.concat(chunks), digest: hash.digest() });
  });
  for (const parts of ['fields', 'files'] as const) {
    const problem = `more than ${partLimits[parts]} ${parts}`;
    form.on(`${parts}Limit`, () => onLimitExceeded(malformedForm(problem)));
  }
  return () => ({ fields, file: file?.() ?? null });
};
export type Upload = ReturnType<ReturnType<typeof collectParts>>;

/**
 * Calls `onUpload` once: with a form, or with a refusal as soon as the form is known to be wrong. Does not call
 * `onUpload` if the client has disconnected.
 */
export const readUpload = (
  request: IncomingMessage,
  onUpload: (upload: Upload | RequestRefusal) => void,
): void => {
  const form = openForm(request);
  if (form instanceof RequestRefusal) {
    request.resume();
    return onUpload(form);
  }
  const most = maxUploadBytes + maxFormOverhead;
  let size = 0;
  let isDone = false;
  const finish = (outcome: () => Upload | RequestRefusal): void => {
    if (isDone) return;
    isDone = true;
    request.off('data', count).unpipe(form).resume();
    onUpload(outcome());
  };
  const refuse = (refusal: RequestRefusal): void => finish(() => refusal);
  const count = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > most) refuse(tooLarge());
  };
  const upload = collectParts(form, refuse);
  form.on('error', (error) => refuse(malformedForm(errorText(error))));
  form.on('finish', () => finish(upload));
  if (Number(request.headers['content-length'] ?? 0) > most) refuse(tooLarge());
  else request.on('data', count).pipe(form);
};
