/** Returns whether a text is a valid field name, a token (RFC 9110, section 5.6.2). */
export const isFieldName = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);

/** Returns whether a value has only allowed characters (RFC 9110, section 5.5), each of a single byte. */
export const isFieldValue = (text: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(text);

/** The fields that frame a message or change the protocol, in lower case; only the sender of a message sets them. */
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
