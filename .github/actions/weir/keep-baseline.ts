/** Replaces the kept baseline by the results of this run, without their reports. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { resultFiles } from './results.ts';

const kept = '.weir-baseline';
rmSync(kept, { recursive: true, force: true });
for (const [index, path] of resultFiles(process.env['WEIR_OUT'] ?? '').entries()) {
  const folder = join(kept, String(index + 1));
  mkdirSync(folder, { recursive: true });
  cpSync(path, join(folder, 'result.json'));
}
