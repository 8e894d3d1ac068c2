import {
  framingFields,
  isFieldName,
  isFieldValue,
} from '../../../model/observation/header-fields.ts';
import { secretName, secretValue } from '../../../scenario/rules/credential-rules.ts';
import { hasTemplate, type Notes } from './imported.ts';

/** A request header of another tool’s file. */
export interface WrittenHeader {
  readonly name: string;
  readonly value: string;
  readonly place: string;
}

/** The headers of an imported scenario, and where its key goes. */
export interface ReadHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The header that carries the key, in lower case; `null` if none of them does. */
  readonly keyHeader: string | null;
}

/** What carries the key of a gateway. */
const keyHeaders = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']);
/** Weir sends these itself, by the kind of request. */
const ownNames = new Set([
  'content-type',
  'accept',
  'accept-encoding',
  'x-request-id',
  ...framingFields,
]);

/** Which headers a scenario takes over. Values that can be secrets are neither kept nor shown. */
export const readHeaders = (written: readonly WrittenHeader[], notes: Notes): ReadHeaders => {
  const headers: Record<string, string> = {};
  let keyHeader: string | null = null;
  for (const { name, value, place } of written) {
    const lower = name.toLowerCase();
    if (keyHeaders.has(lower)) {
      if (keyHeader !== null && keyHeader !== lower)
        notes.left(place, `a second key, in the header ${lower}`);
      else keyHeader = lower;
    } else if (ownNames.has(lower)) {
      if (lower === 'host') notes.left(place, 'the header host is that of the target');
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
    else headers[lower] = value;
  }
  return { headers, keyHeader };
};

/** The fields of a scenario for these headers. */
export const headerFields = ({ headers, keyHeader }: ReadHeaders) => ({
  ...(keyHeader === null || keyHeader === 'authorization' ? {} : { auth: { header: keyHeader } }),
  ...(Object.keys(headers).length > 0 ? { headers } : {}),
});
