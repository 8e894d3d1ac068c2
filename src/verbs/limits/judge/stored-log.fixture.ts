import { readFileSync } from 'node:fs';
import type { LimitLog } from '../../../model/limits/limit-log.ts';

/** Returns the log of an examination in `fixtures/limits`. */
export const storedLog = (name: string): LimitLog => {
  const path = new URL(`../../../../fixtures/limits/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { log: LimitLog }).log;
};
