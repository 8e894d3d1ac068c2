import type { Failure } from '../../model/result/result.ts';

/** The message of a group of failures: verbatim if all have the same, otherwise with the differences masked. */
export const failureText = ({ sameText, message, example }: Failure): string =>
  sameText && example.text !== '' ? example.text.replaceAll(/\s+/g, ' ').trim() : message;
