/** Returns a text as one word for a shell's command line, in quotes if necessary. */
export const quotedWord = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
