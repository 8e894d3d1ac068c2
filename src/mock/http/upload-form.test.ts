import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { RequestRefusal } from '../errors/mock-errors.ts';
import { maxBodyBytes, readUpload } from './request-body.ts';

const boundary = 'b0';
const type = `multipart/form-data; boundary=${boundary}`;
const part = (head: string, content: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data${head}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string): string => part(`; name="${name}"`, value);
const file = (name: string, content: string, as = 'a.wav'): string =>
  part(`; name="${name}"; filename="${as}"`, content);
const end = `--${boundary}--\r\n`;

/** What is made of a request with this body; the words of its refusal. */
const read = (body: string, headers: Record<string, string> = { 'content-type': type }) =>
  new Promise<unknown>((resolve) => {
    const request = Object.assign(new PassThrough(), { headers });
    readUpload(request as unknown as IncomingMessage, (upload) => {
      if (upload instanceof RequestRefusal) return resolve(`${upload.cause}: ${upload.message}`);
      const { fields, file: found } = upload;
      resolve({
        fields: Object.fromEntries(fields),
        file: found && {
          name: found.name,
          text: Buffer.from(found.bytes).toString(),
          digest: found.digest.toString('hex').slice(0, 8),
        },
      });
    });
    request.end(body);
  });
const incomplete = (why: string): string =>
  `malformed-form: The request body is not a complete multipart form: ${why}.`;

it('a body has at most 16 MiB', () => {
  expect(maxBodyBytes).toBe(16_777_216);
});

it('a form has all values of its fields and the first file of the right name', async () => {
  const files = file('other', 'x') + file('file', 'abc') + file('file', 'late', 'b.wav');
  expect(await read(field('a', '1') + files + field('b', '') + field('a', '2') + end)).toEqual({
    fields: { a: ['1', '2'], b: [''] },
    // The digest of "abc" as FIPS 180 has it.
    file: { name: 'a.wav', text: 'abc', digest: 'ba7816bf' },
  });
  expect(await read(field('file', 'no file') + part('', 'no name') + end)).toEqual({
    fields: { file: ['no file'] },
    file: null,
  });
});

it.each(['application/json', 'multipart/form-data', 'multipart/form-data; boundary='])(
  'a body of the type %s is no form',
  async (contentType) => {
    const wanted = 'expected content-type multipart/form-data with a boundary';
    expect(await read('', { 'content-type': contentType })).toBe(incomplete(wanted));
  },
);

it('a body without a type, or without its end, is no form', async () => {
  expect(await read('', {})).toMatch(/^malformed-form: .*: expected content-type/);
  expect(await read(file('file', 'abc'))).toMatch(/^malformed-form: .*[^.]\.$/);
});

it('a form has at most 64 fields of 8 kB, and four files', async () => {
  const fields = (count: number): string => field('a', '1').repeat(count);
  const files = (count: number): string => file('file', '1').repeat(count);
  const long = (length: number): string => field('a', 'x'.repeat(length));
  expect(await read(fields(64) + end)).toMatchObject({ file: null });
  expect(await read(fields(65) + end)).toBe(incomplete('more than 64 fields'));
  expect(await read(files(4) + end)).toMatchObject({ fields: {} });
  expect(await read(files(5) + end)).toBe(incomplete('more than 4 files'));
  expect(await read(long(8191) + end)).toMatchObject({ file: null });
  expect(await read(long(8193) + end)).toBe(incomplete('the field "a" is too long'));
});

it('a form that says it is too large is refused before it comes', async () => {
  const most = 26_214_400 + 2 ** 20;
  const sized = (length: number) =>
    read(end, { 'content-type': type, 'content-length': String(length) });
  expect(await sized(most)).toMatchObject({ file: null });
  expect(await sized(most + 1)).toMatch(/^too-large: The file is larger than 26214400 bytes\.$/);
});
