const goUnits: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Reads a duration in Go's notation, in ms; `null` if the text is no duration. */
export const goDuration = (text: string): number | null => {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text)) return null;
  let length = 0;
  for (const [, n, unit] of text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) {
    length += Number(n) * goUnits[unit!]!;
  }
  return length;
};
