import type { IncomingMessage } from 'node:http';

/** The largest request body that is read, in bytes: 4 MiB, far above any context window. */
export const largestBody = 4 * 1024 * 1024;

/**
 * Reads a body and tells it once: the bytes, or `null` as soon as it is known to be too large, after
 * which the rest is thrown away as it comes. A client that hangs up gets no call.
 */
export const readBody = (
  request: IncomingMessage,
  tell: (body: Uint8Array | null) => void,
): void => {
  let chunks: Uint8Array[] = [];
  let size = 0;
  const keep = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > largestBody) discard();
    else chunks.push(chunk);
  };
  const finish = (): void => tell(Buffer.concat(chunks, size));
  const discard = (): void => {
    request.off('data', keep).off('end', finish).resume();
    chunks = [];
    tell(null);
  };
  if (Number(request.headers['content-length'] ?? 0) > largestBody) discard();
  else request.on('data', keep).on('end', finish);
};
