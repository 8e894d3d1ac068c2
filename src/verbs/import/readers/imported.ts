import {
  framingFields,
  isFieldName,
  isFieldValue,
} from '../../../model/observation/header-fields.ts';
import { secretName, secretValue } from '../../../scenario/rules/credential-rules.ts';

/** What the import did with a part of the source that a scenario cannot contain unchanged. */
const noteKinds = {
  left: 'Left out',
  chosen: 'Chosen',
  unneeded: 'Not needed',
} as const;

/**
 * A note on one part of the source: the place of the part, and its treatment. A note never repeats a value that may be
 * secret.
 */
interface ImportNote {
  readonly kind: keyof typeof noteKinds;
  readonly place: string;
  readonly message: string;
}

/** A file that is written beside the scenario, which refers to it. */
export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Imported = { readonly notes: readonly ImportNote[] } & (
  | {
      readonly kind: 'scenario';
      readonly scenario: Readonly<Record<string, unknown>>;
      readonly files: readonly ImportedFile[];
    }
  | { readonly kind: 'objectives'; readonly objectives: readonly string[] }
);

/** The error for a text that cannot be imported at all. The message says what was expected. */
export class ImportError extends Error {}

export class Notes {
  readonly list: ImportNote[] = [];

  /** Returns the notes. Notes about parts that were left out come first. */
  get sorted(): readonly ImportNote[] {
    return Object.keys(noteKinds).flatMap((kind) => this.list.filter((note) => note.kind === kind));
  }

  left(place: string, message: string): void {
    this.list.push({ kind: 'left', place, message });
  }

  chosen(place: string, message: string): void {
    this.list.push({ kind: 'chosen', place, message });
  }

  unneeded(place: string, message: string): void {
    this.list.push({ kind: 'unneeded', place, message });
  }
}

/**
 * Formats a note as one line of at most 1,000 characters, even if the source contains line breaks or very long names.
 */
export const noteLine = ({ kind, place, message }: ImportNote): string =>
  `${noteKinds[kind].padEnd(10)}  ${place}: ${message}`
    .slice(0, 1000)
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');

/** The reference for the key of an imported target. It never contains the source's key. */
export const keyReference = '${env:WEIR_API_KEY}';

/**
 * Adds notes on the key and the limits. `noKey` is the note for a source without a key; `null` if the source has a key.
 */
export const noteKeyAndLimits = (noKey: string | null, notes: Notes): void => {
  const key =
    noKey === null
      ? 'it was not copied: export WEIR_API_KEY=… before the run'
      : `${noKey}, and Weir wants one: export WEIR_API_KEY=none, if the server asks for no key`;
  notes.chosen('key', key);
  notes.chosen(
    'limits',
    'Weir assumes no rate limits of a key: write "limits" if the gateway has any',
  );
};

/** Returns whether a value contains a template that a scenario would fill with a variable or a secret. */
export const hasTemplate = (value: unknown): boolean =>
  /\$\{(?:env|secret|command):/.test(
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  );

export const givenFields = (
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );

export interface WrittenHeader {
  readonly name: string;
  readonly value: string;
  readonly place: string;
}

interface ReadHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The lower-case name of the header that carries the key; `null` without such a header. */
  readonly keyHeader: string | null;
}

/** The names of headers in which gateways expect a key. */
const keyHeaders = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']);
/** The headers that Weir itself sets. */
const ownNames = new Set([
  'content-type',
  'accept',
  'accept-encoding',
  'x-request-id',
  ...framingFields,
]);

export const isOwnHeader = (name: string): boolean => ownNames.has(name.toLowerCase());

/** Returns the headers that a scenario takes from the source. Values that may be secrets are neither kept nor shown. */
export const readHeaders = (
  written: readonly WrittenHeader[],
  target: string,
  notes: Notes,
): ReadHeaders => {
  const { host, hostname } = new URL(target);
  const headers = new Map<string, string>();
  let keyHeader: string | null = null;
  for (const { name, value, place } of written) {
    const lower = name.toLowerCase();
    if (keyHeaders.has(lower)) {
      if (keyHeader !== null && keyHeader !== lower)
        notes.left(place, `a second key, in the header ${lower}`);
      else keyHeader = lower;
    } else if (ownNames.has(lower)) {
      const isOther = lower === 'host' && ![host, hostname].includes(value.trim().toLowerCase());
      if (isOther) notes.left(place, 'the header host is that of the target');
      else if (lower !== 'content-type' && lower !== 'content-length') {
        notes.unneeded(place, `Weir sets the header ${lower} itself`);
      }
    } else if (!isFieldName(name)) notes.left(place, 'this is not the name of a header');
    else if (secretName.test(lower) || secretValue.test(value) || hasTemplate(value)) {
      const hint = `write "headers: { ${lower}: '\${env:NAME}' }"`;
      notes.left(
        place,
        `the value of the header ${lower} can be a secret and was not copied: ${hint}`,
      );
    } else if (!isFieldValue(value)) notes.left(place, `no header can carry the value of ${lower}`);
    else headers.set(lower, value);
  }
  return { headers: Object.fromEntries(headers), keyHeader };
};

export const headerFields = ({ headers, keyHeader }: ReadHeaders) => ({
  ...(keyHeader === null || keyHeader === 'authorization' ? {} : { auth: { header: keyHeader } }),
  ...(Object.keys(headers).length > 0 ? { headers } : {}),
});
