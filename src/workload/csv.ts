/** One record of a table and the line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A cell of RFC 4180: quoted (with doubled quotes inside) or plain, and what ends it. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

const linesIn = (text: string): number => text.split('\n').length - 1;

/**
 * The records of a comma-separated table (RFC 4180) without empty lines, or a text that begins with the
 * line of a wrong or open quote.
 */
export const parseCsv = (text: string): readonly CsvRecord[] | string => {
  const cell = new RegExp(cellPattern);
  const records: CsvRecord[] = [];
  let line = 1;
  let begun = 1;
  let cells: string[] = [];
  while (cell.lastIndex < text.length || cells.length > 0) {
    const found = cell.exec(text);
    if (found === null) {
      return `${line}: expected a cell with closed quotes (double the quotes inside it), or one without quotes`;
    }
    const [whole, quoted, plain = '', end] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += linesIn(whole);
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begun, cells });
    cells = [];
    begun = line;
  }
  return records;
};
