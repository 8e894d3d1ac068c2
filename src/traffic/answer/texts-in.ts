/**
 * Generates all texts in a part of a message, such as a content part or a tool call. Its types and signatures are
 * excluded.
 */
export function* textsIn(value: unknown): Generator<string> {
  // This is not recursive, since a server may nest as deep as it likes.
  const waiting = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === 'string') yield part;
    if (typeof part !== 'object' || part === null) continue;
    for (const [name, field] of Object.entries(part))
      if (name !== 'type' && name !== 'signature') waiting.push(field);
  }
}
