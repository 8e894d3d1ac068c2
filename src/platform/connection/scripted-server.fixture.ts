import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** A TCP server that answers with exactly the given bytes, for tests of transports. */
export interface ScriptedServer {
  readonly url: string;
  /** Requests as they came, head and body, one entry per answered request. */
  readonly requests: readonly string[];
  readonly connections: () => number;
  close(): Promise<void>;
}

/** Answers request n on its socket. n counts from 0 over all connections. */
type ServerScript = (socket: Socket, n: number) => void;

const complete = (text: string): boolean => {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(text)?.[1] ?? '0';
  return Buffer.byteLength(text.slice(head + 4)) >= Number(length);
};

export const startScriptedServer = async (script: ServerScript): Promise<ScriptedServer> => {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      if (!complete(text)) return;
      requests.push(text);
      text = '';
      script(socket, requests.length - 1);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
