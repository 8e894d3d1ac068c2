/**
 * Matches text that a spreadsheet would run as a formula, by its first character. This includes full-width characters.
 */
const formulaLike = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Formats a cell of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe before it.
 * Numbers do not get an apostrophe. `null` and `undefined` become empty.
 */
export const csvCell = (value: string | number | boolean | null | undefined): string => {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formulaLike.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
