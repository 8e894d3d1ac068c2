/** The lines of a text in parts of bytes, without line ends (LF or CRLF) and byte order mark. */
export function* linesOf(parts: Iterable<Uint8Array>): Generator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
