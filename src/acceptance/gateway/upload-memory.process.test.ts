import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { expect, it } from 'vitest';
import { maxUploadBytes } from '../../contract/audio.ts';
import { startGateway, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** The peak memory of a process in bytes (Linux). */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
};

/** Uploads a file of this many bytes without a content length, and reads the status of the answer, which arrives during the upload. */
const upload = async ({ hostname, port }: URL, bytes: number): Promise<string> => {
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  const isAnswered = (): boolean => answer !== '';
  const answered = new Promise<void>((resolve, reject) => {
    socket.once('error', reject).setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
      if (answer.includes('\r\n')) resolve();
    });
  });
  const write = async (data: string | Uint8Array): Promise<void> => {
    if (!socket.write(data)) await Promise.race([once(socket, 'drain'), answered]);
  };
  const piece = (data: Uint8Array | string): Uint8Array =>
    Buffer.concat([
      Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n`),
      Buffer.from(data),
      Buffer.from('\r\n'),
    ]);
  await write(
    'POST /v1/audio/transcriptions HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer sk-weir-test\r\n' +
      'content-type: multipart/form-data; boundary=b\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  await write(
    piece('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
  );
  const chunk = new Uint8Array(65_536);
  for (let left = bytes; left > 0 && !isAnswered(); left -= chunk.length) {
    await write(piece(chunk.subarray(0, Math.min(left, chunk.length))));
  }
  if (!isAnswered()) await write(`${Buffer.from(piece('\r\n--b--\r\n')).toString()}0\r\n\r\n`);
  await answered;
  socket.destroy();
  return answer.slice(0, answer.indexOf('\r\n'));
};

it.skipIf(process.platform !== 'linux')(
  'the gateway refuses an upload as soon as it is too large, and its memory does not grow',
  async () => {
    const mock = await startGateway();
    const address = new URL(mock.url);
    const pid = mock.child.pid ?? 0;
    const refuse = async (): Promise<void> =>
      expect(await upload(address, maxUploadBytes + 1)).toBe('HTTP/1.1 413 Payload Too Large');
    await refuse();
    const before = await peakOf(pid);
    for (let i = 0; i < 12; i += 1) await refuse();
    // Twelve files would be 300 MiB; garbage of one may not be collected yet.
    expect((await peakOf(pid)) - before).toBeLessThan(4 * maxUploadBytes);
  },
);
