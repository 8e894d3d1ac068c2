import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { maxUploadBytes } from '../../contract/audio.ts';
import { testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';

const boundary = 'weir';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
const headers = { ...testKeyHeaders, 'content-type': `multipart/form-data; boundary=${boundary}` };

/** A form whose file has so many bytes, made while it is sent. */
const formOf = (bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const chunk = new Uint8Array(65_536);
  let left = bytes;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (stream) => stream.enqueue(new TextEncoder().encode(head)),
    pull: (stream) => {
      const size = Math.min(left, chunk.length);
      left -= size;
      if (size > 0) stream.enqueue(chunk.slice(0, size));
      else {
        stream.enqueue(new TextEncoder().encode(`\r\n--${boundary}--\r\n`));
        stream.close();
      }
    },
  });
};

it.each([413, 400] as const)(
  'an upload that is too large is refused with %i, as set',
  async (uploadTooLarge) => {
    const { upload, counters } = await startManualMock({ uploadTooLarge });
    const status = async (bytes: number) =>
      (await upload(formOf(bytes), { headers, duplex: 'half' })).status;
    expect(await status(maxUploadBytes + 1)).toBe(uploadTooLarge);
    expect(await counters()).toMatchObject({ refused: 1, 'refused.too-large': 1 });
  },
);

it('an incomplete upload is answered with 408, and the gateway continues', async () => {
  const { mock, get, waitForCounters } = await startManualMock({
    requestTimeout: milliseconds(100),
  });
  const socket = net.connect(Number(new URL(mock.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: weir\r\nauthorization: ${testKeyHeaders.authorization}\r\n` +
      `content-type: ${headers['content-type']}\r\ncontent-length: 1000\r\n\r\n${head}a few bytes`,
  );
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await waitForCounters({ aborted: 1, inFlight: 0 });
  expect((await get('/models')).status).toBe(200);
});
