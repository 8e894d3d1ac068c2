import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { expect, it } from 'vitest';
import { uploadLimit } from '../contract/audio.ts';
import { startWeir, tidyAfterEach } from './weir-process.ts';

tidyAfterEach();

/** The most memory that a process ever had, in bytes (Linux). */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
};

/** Uploads a file of so many bytes without telling its length beforehand, and reads the status of the answer. */
const upload = async (port: number, bytes: number): Promise<string> => {
  const socket = net.connect(port, '127.0.0.1');
  // The answer comes while the upload goes on, and the connection may be closed under it.
  socket.on('error', () => undefined);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const closed = once(socket, 'close');
  const write = async (data: string | Uint8Array): Promise<void> => {
    if (!socket.write(data) && socket.writable) {
      await Promise.race([once(socket, 'drain'), closed]);
    }
  };
  const piece = (data: Uint8Array | string): Uint8Array =>
    Buffer.concat([
      Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n`),
      Buffer.from(data),
      Buffer.from('\r\n'),
    ]);
  await write(
    'POST /v1/audio/transcriptions HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer sk-weir-test\r\n' +
      'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n',
  );
  await write(
    piece('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
  );
  const chunk = new Uint8Array(65_536);
  for (let left = bytes; left > 0 && socket.writable; left -= chunk.length) {
    await write(piece(chunk.subarray(0, Math.min(left, chunk.length))));
  }
  if (socket.writable) await write(`${Buffer.from(piece('\r\n--b--\r\n')).toString()}0\r\n\r\n`);
  await closed;
  return answer.slice(0, answer.indexOf('\r\n'));
};

const freePort = async (): Promise<number> => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

it.skipIf(process.platform !== 'linux')(
  'the gateway refuses uploads that are too large while they come, and its memory stays flat',
  async () => {
    const port = await freePort();
    const mock = startWeir(['mock', '--port', String(port)]);
    await mock.shown('Ctrl-C');
    const pid = mock.child.pid ?? 0;
    const refuse = async (): Promise<void> =>
      expect(await upload(port, uploadLimit + 1)).toBe('HTTP/1.1 413 Payload Too Large');
    await refuse();
    const before = await peakOf(pid);
    for (let i = 0; i < 12; i += 1) await refuse();
    // Twelve files would be 300 MiB; what one of them left behind may not be collected yet.
    expect((await peakOf(pid)) - before).toBeLessThan(4 * uploadLimit);
  },
);
