import type { Failure } from '../../model/result/result.ts';

/** What alike failures said: their common text, word for word where all said the same, else without what differs. */
export const failureText = ({ sameText, message, example }: Failure): string =>
  sameText && example.text !== '' ? example.text.replaceAll(/\s+/g, ' ').trim() : message;
