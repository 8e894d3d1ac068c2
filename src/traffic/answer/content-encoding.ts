import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/**
 * This file decodes content encodings. Every request asks for `identity`, because compression makes the arrival times
 * of a stream's events inexact. Weir decodes a compressed answer that is not timed, and rejects a compressed stream.
 */

/** Returns the content encoding that the headers name; `null` if the body is not encoded. */
export const encodingOf = (headers: Readonly<Record<string, string>>): string | null => {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' || encoding === 'identity' ? null : encoding;
};

const zlibFlush = { finishFlush: constants.Z_SYNC_FLUSH };
const brotliFlush = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** The functions that decode each encoding. For a truncated body, a function returns the part that can be decoded. */
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
