import { createHash } from 'node:crypto';

/** Hashes the parts of a file while they are read; `digest` covers all parts that were taken. */
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
