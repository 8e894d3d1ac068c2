import { generate } from 'selfsigned';
import type { ChatServerOptions, StreamCounts } from './chat-server.ts';
import { startPinned } from './processes.ts';

/** Starts the server on the first core. */
export const startChatServer = async (options: ChatServerOptions) => {
  const server = await startPinned(0, ['bench/harness/chat-server.ts'], options);
  const count = async (): Promise<StreamCounts> => {
    server.send('count');
    return JSON.parse(await server.next()) as StreamCounts;
  };
  const scheme = options.certificate === null ? 'http' : 'https';
  /** The base URL for clients. */
  const url = `${scheme}://127.0.0.1:${server.line}/v1`;
  return { url, count, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};
export type ChatServer = Awaited<ReturnType<typeof startChatServer>>;

/** A self-signed certificate for 127.0.0.1. */
export const makeCertificate = async (): Promise<NonNullable<ChatServerOptions['certificate']>> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key, cert };
};
