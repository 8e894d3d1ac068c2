import { mkdir, writeFile } from 'node:fs/promises';

/** A Markdown table; every row has as many cells as the head. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
};

/** Writes a table of this room to `reports/proving/NAME.md`. */
export const writeTable = async (name: string, table: string): Promise<void> => {
  await mkdir('reports/proving', { recursive: true });
  await writeFile(`reports/proving/${name}.md`, table);
};
