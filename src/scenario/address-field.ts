import { z } from 'zod';
import { addressFault } from './address.ts';
import type { IssueNotes } from './field.ts';

/** A field that is one of a few words or an address. */
export const wordOrAddress = <Word extends string>(words: readonly Word[], expected: string) =>
  z.string({ error: expected }).transform((value, context): { kind: Word } | URL => {
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return { kind: word };
    const url = URL.parse(value);
    const fault = addressFault(value, url);
    if (url !== null && fault === null) return url;
    const params: IssueNotes = { choices: words };
    const message = fault === null ? expected : `${expected}; ${fault}`;
    context.issues.push({ code: 'custom', message, input: value, params });
    return z.NEVER;
  });

export const withoutTrailingSlash = (url: URL): string => url.href.replace(/\/+$/, '');
