/** What RFC 9110 lets a header field be, and which fields are never a user's to set. */

/** A field's name is a token (RFC 9110, section 5.6.2). */
export const isFieldName = (text: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(text);

/** Whether a value holds nothing that none may (RFC 9110, section 5.5), nor a character that is no single byte. */
export const isFieldValue = (text: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(text);

/** What frames a message or changes the protocol: who sends the message writes it. In small letters. */
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
