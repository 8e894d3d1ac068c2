/** A field's name is a token (RFC 9110, section 5.6.2). */
export const isFieldName = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);

/** Whether a value has only characters that are allowed (RFC 9110, section 5.5), each of a single byte. */
export const isFieldValue = (text: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(text);

/** Fields that frame a message or change the protocol, which only its sender sets; in lower case. */
export const framingFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
