import { generate } from 'selfsigned';
import type { ChatServerOptions, StreamCounts } from './chat-server.ts';
import { startPinned } from './processes.ts';

/** Starts the server on the first core, with these flags of Node. */
export const startChatServer = async (
  options: ChatServerOptions,
  flags: readonly string[] = [],
) => {
  const server = await startPinned(0, ['bench/harness/chat-server.ts'], options, flags);
  const ask = (line: string): Promise<string> => {
    server.send(line);
    return server.next();
  };
  const scheme = options.certificate === null ? 'http' : 'https';
  return {
    port: Number(server.line),
    /** The base URL for clients. */
    url: `${scheme}://127.0.0.1:${server.line}/v1`,
    count: async () => JSON.parse(await ask('count')) as StreamCounts,
    times: () => ask('times'),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
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
