/** The unsigned big-endian number at an offset; bytes after the end of the file count as zero. */
export const readUint = (file: Uint8Array, from: number, bytes: number): number => {
  let value = 0;
  for (let i = from; i < from + bytes; i += 1) value = value * 256 + (file[i] ?? 0);
  return value;
};

/** The text of one-byte characters at an offset; shorter at the end of the file. */
export const readText = (file: Uint8Array, from: number, bytes: number): string =>
  String.fromCharCode(...file.subarray(from, from + bytes));
