import { createHash } from 'node:crypto';

/** The content of a form with one file (`multipart/form-data`, RFC 7578). */
export interface MultipartForm {
  /** The text fields in order. Several fields may have the same name. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: {
    readonly field: string;
    readonly name: string;
    readonly contentType: string;
    readonly bytes: Uint8Array;
  };
}

/** Quotes a field's name as browsers do (HTML standard, multipart/form-data encoding). */
const quoteName = (name: string): string =>
  `"${name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

/**
 * Encodes a form as bytes. Equal forms give equal bytes. The boundary is a digest of the content, so no form contains
 * its own boundary. The file comes last, so a gateway receives the fields before the file.
 */
export const encodeForm = ({ fields, file }: MultipartForm) => {
  const digest = createHash('sha256').update(JSON.stringify(fields)).update(file.bytes);
  const boundary = `weir-${digest.digest('hex').slice(0, 32)}`;
  const head = (disposition: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const texts = fields.map(([name, value]) => `${head(`name=${quoteName(name)}`)}\r\n${value}\r\n`);
  const disposition = `name=${quoteName(file.field)}; filename=${quoteName(file.name)}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(`${texts.join('')}${head(disposition)}content-type: ${file.contentType}\r\n\r\n`),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
};
export type EncodedForm = ReturnType<typeof encodeForm>;
