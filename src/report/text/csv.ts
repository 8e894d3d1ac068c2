/** Text that a spreadsheet would run as a formula, in whatever script its first sign is. */
const formulaLike = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A cell of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it;
 * numbers do not. `null` and `undefined` are empty.
 */
export const csvCell = (value: string | number | boolean | null | undefined): string => {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formulaLike.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
