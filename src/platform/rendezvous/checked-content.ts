import { createHash } from 'node:crypto';
import { Problem } from '../problem.ts';

/** Returns `content` if it has the SHA-256 `digest`. Throws a `Problem` if it is missing or different. */
export const checkedContent = (
  rendezvous: string,
  name: string,
  content: Uint8Array | null,
  digest: string,
): Uint8Array => {
  if (content === null) throw new Problem(`${name} is not in the rendezvous ${rendezvous}`);
  const found = createHash('sha256').update(content).digest('hex');
  if (found === digest) return content;
  throw new Problem(
    `${name} in the rendezvous ${rendezvous} was changed: expected SHA-256 ${digest.slice(0, 12)}…, got ${found.slice(0, 12)}…`,
  );
};
