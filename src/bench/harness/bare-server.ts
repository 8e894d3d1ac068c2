import { createServer } from 'node:http';
import { listenAndPrintPort, readOptions } from './child-input.ts';

/** The reference for the mock's rate: Node's own HTTP server, which parses each body and sends one fixed answer, its options line. */

const answer = await readOptions<string>();
const headers = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(answer),
};
listenAndPrintPort(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, headers).end(answer);
    });
  }),
);
