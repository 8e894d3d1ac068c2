import { createHash } from 'node:crypto';

/** Hashes the parts of a file while they are read. `digest` covers all parts read so far. */
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

/** Decodes the parts of a file as text, in parts. */
export function* textsOf(parts: Iterable<Uint8Array>): Generator<string, void> {
  const decoder = new TextDecoder();
  for (const part of parts) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}
