/**
 * Generates all texts in a part of a message, such as a content part or a tool call. The values of `type` and
 * `signature` are left out.
 */
export function* textsIn(value: unknown): Generator<string> {
  // This code is not recursive, because a server may nest any number of levels.
  const waiting = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === 'string') yield part;
    if (typeof part !== 'object' || part === null) continue;
    for (const [name, field] of Object.entries(part))
      if (name !== 'type' && name !== 'signature') waiting.push(field);
  }
}
