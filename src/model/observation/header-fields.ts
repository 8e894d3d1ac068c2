/** Returns whether a text is a valid name of a header field (a token, RFC 9110, section 5.6.2). */
export const isFieldName = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);

/**
 * Returns whether a text has only characters that a field's value may contain (RFC 9110, section 5.5). Each of these
 * characters is one byte.
 */
export const isFieldValue = (text: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(text);

/**
 * The names of header fields, in lower case, that mark where a message ends or that change the protocol. Only the code
 * that sends a message may set these fields.
 */
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
