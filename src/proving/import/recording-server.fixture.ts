import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { readForm } from '../../traffic/request/read-form.fixture.ts';

/** A request as it came: what has to be the same whoever sent it. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly team: string | null;
  readonly key: string | null;
  /** JSON as it is parsed, a form as its fields and files, `null` for none. */
  readonly body: unknown;
}

/** A form without its boundary. */
const formOf = async (contentType: string, bytes: Buffer): Promise<unknown> => {
  const form = await readForm(bytes, contentType);
  const parts = Array.from(form, async ([name, value]) => [
    name,
    typeof value === 'string' ? value : await value.text(),
  ]);
  return Object.fromEntries(await Promise.all(parts)) as unknown;
};

const record = async (request: IncomingMessage): Promise<RecordedRequest> => {
  const bytes = await buffer(request);
  const { 'content-type': type = '', 'x-team': team, authorization } = request.headers;
  const isForm = type.startsWith('multipart/');
  const body: unknown =
    bytes.length === 0 ? null : isForm ? await formOf(type, bytes) : JSON.parse(bytes.toString());
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    team: typeof team === 'string' ? team : null,
    key: authorization ?? null,
    body,
  };
};

/** Starts a server that keeps every request and answers all with an empty object. It closes after the test. */
export const openRecordingServer = async () => {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void record(request).then((recorded) => {
      requests.push(recorded);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}/v1`, requests };
};
