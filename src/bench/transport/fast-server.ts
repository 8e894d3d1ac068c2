import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificate } from '../harness/self-signed-certificate.ts';
import { endsRequest, fixedAnswer } from '../harness/fixed-answer.ts';

/**
 * The fastest server that Node can be: no parser, one fixed answer of a gateway's size to whatever ends
 * as a chat request does. Clients are measured against it, so it has to cost less than they do. Says
 * its port; with the word `https` it speaks TLS, by a certificate of its own.
 */

const serve = (socket: Socket): void => {
  socket.on('data', (bytes: Buffer) => {
    if (endsRequest(bytes)) socket.write(fixedAnswer);
  });
  socket.on('error', () => undefined);
};

const createSecure = async () => {
  const options = { ...(await makeCertificate()), noDelay: true };
  return createTlsServer(options, serve).on('tlsClientError', () => undefined);
};

const server =
  process.argv[2] === 'https' ? await createSecure() : createServer({ noDelay: true }, serve);
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
