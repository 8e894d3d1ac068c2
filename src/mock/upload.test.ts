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
