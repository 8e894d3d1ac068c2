import { expect, it } from 'vitest';
import { uploadLimit } from '../contract/audio.ts';
import { key, mockByHand } from './by-hand-suite.ts';

const boundary = 'weir';
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
const headers = { ...key, 'content-type': `multipart/form-data; boundary=${boundary}` };

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
  'an upload that is too large is refused with %i as set',
  async (uploadTooLarge) => {
    const { upload, counters } = await mockByHand({ uploadTooLarge });
    const status = async (bytes: number) =>
      (await upload(formOf(bytes), { headers, duplex: 'half' })).status;
    expect(await status(uploadLimit + 1)).toBe(uploadTooLarge);
    expect(await counters()).toMatchObject({ refused: 1, 'refused.too-large': 1 });
  },
);

it('what comes after a refusal is thrown away, so that uploads of any size take the memory of one file', async () => {
  const { upload } = await mockByHand({ limits: { requestsPerMinute: null } });
  const refused = async () => {
    const answer = await upload(formOf(uploadLimit + 800_000), { headers, duplex: 'half' });
    expect(answer.status).toBe(413);
    await answer.text();
  };
  await refused();
  const before = process.memoryUsage().rss;
  for (const _ of '12345678') await refused();
  expect(process.memoryUsage().rss - before).toBeLessThan(4 * uploadLimit);
});
