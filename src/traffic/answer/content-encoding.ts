import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/**
 * This file decodes content encodings. Every request asks for `identity`, since compression makes the instants of a
 * stream inexact. If a server compresses an answer anyway, Weir decodes the answer, unless it is a stream.
 */

/** Returns the content encoding that the headers name. */
export const encodingOf = (headers: Readonly<Record<string, string>>): string | null => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : encoding;
};

const zlibFlush = { finishFlush: constants.Z_SYNC_FLUSH };
const brotliFlush = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** The function that decodes each encoding. For a truncated body, this function returns as much as it can decode. */
const decoders: ReadonlyMap<string, (bytes: Buffer, limit: number) => Buffer> = new Map([
  ['gzip', (bytes, limit) => gunzipSync(bytes, { ...zlibFlush, maxOutputLength: limit })],
  ['x-gzip', (bytes, limit) => gunzipSync(bytes, { ...zlibFlush, maxOutputLength: limit })],
  ['deflate', (bytes, limit) => inflateSync(bytes, { ...zlibFlush, maxOutputLength: limit })],
  ['br', (bytes, limit) => brotliDecompressSync(bytes, { ...brotliFlush, maxOutputLength: limit })],
]);

/**
 * Decodes a body. Returns `null` if the encoding is unknown, the body is invalid, or the result would exceed `limit`
 * bytes.
 */
export const decodeBody = (
  bytes: Buffer,
  encoding: string | null,
  limit: number,
): Buffer | null => {
  if (encoding === null) return bytes;
  try {
    return decoders.get(encoding)?.(bytes, limit) ?? null;
  } catch {
    return null;
  }
};
