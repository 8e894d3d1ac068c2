import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readForm } from './read-form.fixture.ts';
import { encodeForm, type MultipartForm } from './multipart.ts';

const file = {
  field: 'file',
  name: 'clip.wav',
  contentType: 'audio/wav',
  bytes: Buffer.from('RIFF'),
};

/** Returns what another implementation reads from a form. */
const read = async (form: MultipartForm) => {
  const { body, contentType } = encodeForm(form);
  const parsed = await readForm(body, contentType);
  const upload = parsed.get(form.file.field) as File;
  const bytes = Buffer.from(await upload.arrayBuffer());
  return { entries: [...parsed].slice(0, -1), name: upload.name, type: upload.type, bytes };
};

it('writes fields in order and the file last', () => {
  const { body, contentType } = encodeForm({
    fields: [
      ['model', 'm'],
      ['n', '1'],
    ],
    file,
  });
  const boundary = /^multipart\/form-data; boundary=(weir-[0-9a-f]{32})$/.exec(contentType)?.[1];
  expect(Buffer.from(body).toString().replaceAll(boundary!, 'BOUNDARY').replaceAll('\r', ''))
    .toMatchInlineSnapshot(`
      "--BOUNDARY
      content-disposition: form-data; name="model"

      m
      --BOUNDARY
      content-disposition: form-data; name="n"

      1
      --BOUNDARY
      content-disposition: form-data; name="file"; filename="clip.wav"
      content-type: audio/wav

      RIFF
      --BOUNDARY--
      "
    `);
});

it('is read correctly by other parsers for any bytes', async () => {
  const fields = fc.array(
    fc.tuple(fc.constantFrom('model', 'timestamp_granularities[]', 'odd "name"'), fc.string()),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(fields, fc.uint8Array({ maxLength: 200 }), async (pairs, content) => {
      const bytes = Buffer.from(content);
      const form = await read({ fields: pairs, file: { ...file, bytes } });
      expect(form).toMatchObject({ name: 'clip.wav', type: 'audio/wav' });
      expect(form.bytes.equals(bytes)).toBe(true);
      expect(form.entries).toHaveLength(pairs.length);
    }),
    { numRuns: 50 },
  );
});

it('repeats a field that has several values', async () => {
  const name = 'timestamp_granularities[]';
  const fields = [
    [name, 'word'],
    [name, 'segment'],
  ] as const;
  expect((await read({ fields, file })).entries).toEqual(fields);
});

it('gives equal forms equal bytes, and different forms different boundaries', () => {
  const form: MultipartForm = { fields: [['model', 'm']], file };
  expect(encodeForm(form)).toEqual(encodeForm({ ...form }));
  const others: readonly MultipartForm[] = [
    { ...form, fields: [['model', 'n']] },
    { ...form, file: { ...file, bytes: Buffer.from('RIFX') } },
  ];
  for (const other of others) {
    expect(encodeForm(other).contentType).not.toBe(encodeForm(form).contentType);
  }
});
