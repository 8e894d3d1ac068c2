/** Matches text that a spreadsheet would run as a formula. The first character, which may be full-width, decides. */
const formulaLike = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Formats a cell of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula gets a leading apostrophe.
 * Numbers get no apostrophe. `null` and `undefined` become empty.
 */
export const csvCell = (value: string | number | boolean | null | undefined): string => {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formulaLike.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
