import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedPython, roomFile } from '../harness/installed.ts';
import { outputOf } from '../harness/program-output.ts';

/** What is asked of tables in a folder. */
export interface TableQuestions {
  /** Statements for one connection of DuckDB. */
  readonly statements: readonly string[];
  /** Programs in Python, and the names of the values that they leave. */
  readonly code?: readonly string[];
  readonly names?: readonly string[];
}

export interface TableAnswers {
  /** The rows of each statement. */
  readonly rows: readonly (readonly (readonly unknown[])[])[];
  /** The values of each program. */
  readonly values: readonly Readonly<Record<string, unknown>>[];
}

/** Asks DuckDB and pandas about the tables in a folder. Throws `Unavailable` if they cannot be had here. */
export const readTables = async (
  folder: string,
  { statements, code = [], names = [] }: TableQuestions,
): Promise<TableAnswers> => {
  const packages = await installedPython('tables', 'tables/requirements.txt');
  const job = join(folder, 'questions.json');
  await writeFile(job, JSON.stringify({ statements, code, names }));
  const { stdout } = await outputOf('python3', [roomFile('tables/read_tables.py'), job], {
    cwd: folder,
    env: { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(stdout) as TableAnswers;
};
