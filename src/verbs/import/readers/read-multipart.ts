/** One part of a `multipart/form-data` body. */
export interface FormPart {
  readonly name: string;
  readonly file: string | null;
  readonly bytes: Buffer;
}

const parameter = (text: string, name: string): string | null => {
  const [, quoted, plain] =
    new RegExp(`[;\\s]${name}=(?:"([^"]*)"|([^;\\s]*))`, 'i').exec(text) ?? [];
  return quoted ?? plain ?? null;
};

/** The parts of a form (RFC 7578, RFC 2046 section 5.1.1); `null` if it is none. */
export const readMultipart = (
  contentType: string,
  body: Uint8Array,
): readonly FormPart[] | null => {
  const boundary = parameter(contentType, 'boundary');
  if (!/^multipart\/form-data/i.test(contentType) || boundary === null || boundary === '')
    return null;
  // One character a byte, so that places in the text are places in the body.
  const text = `\r\n${Buffer.from(body).toString('latin1')}`;
  const [, ...pieces] = text.split(`\r\n--${boundary}`);
  if (pieces.pop()?.startsWith('--') !== true) return null;
  const parts = pieces.map((piece): FormPart | null => {
    const [, head = '', content] = /^[ \t]*\r\n([^]*?\r\n)\r\n([^]*)$/.exec(piece) ?? [];
    const disposition =
      /^content-disposition:(.*)$/im.exec(Buffer.from(head, 'latin1').toString())?.[1] ?? '';
    const name = parameter(disposition, 'name');
    if (name === null || content === undefined) return null;
    return {
      name,
      file: parameter(disposition, 'filename'),
      bytes: Buffer.from(content, 'latin1'),
    };
  });
  return parts.includes(null) ? null : (parts as FormPart[]);
};
