import type { RequestListener, ServerResponse } from 'node:http';
import type { Gateway } from './gateway.ts';

const tell = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/** The control interface, on a port of its own: `GET /health`, `GET /counters`, `POST /reset`. */
export const controlListener = (gateway: Gateway): RequestListener => {
  const commands: Readonly<Record<string, () => unknown>> = {
    'GET /health': () => ({ status: 'ok' }),
    'GET /counters': () => gateway.counters(),
    'GET /ledger': () => gateway.ledger(),
    'POST /reset': () => {
      gateway.reset();
      return gateway.counters();
    },
  };
  return (request, response) => {
    const asked = `${request.method} ${request.url}`;
    const command = Object.hasOwn(commands, asked) ? commands[asked] : undefined;
    if (command === undefined) {
      const known = Object.keys(commands).join(', ');
      tell(response, 404, { error: `Expected one of: ${known}; got ${asked}.` });
      return;
    }
    tell(response, 200, command());
  };
};
