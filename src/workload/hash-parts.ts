import { createHash } from 'node:crypto';

/** Hands the parts of a file on and hashes them on the way; `digest` is of all that were taken. */
export const hashParts = (
  parts: Iterable<Uint8Array>,
): { readonly parts: Iterable<Uint8Array>; readonly digest: () => string } => {
  const hash = createHash('sha256');
  function* through(): Generator<Uint8Array, void> {
    for (const part of parts) {
      hash.update(part);
      yield part;
    }
  }
  return { parts: through(), digest: () => hash.digest('hex') };
};
