/**
 * Feeds damaged copies of a result to every command that reads results: `report`, `merge`, `compare` and the
 * history. Prints one JSON line for each command with its outcome, and the peak of this process's memory
 * last. Takes the result file, and the first and the last number of the copies.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import { listHistory } from '../../verbs/history/history.ts';
import type { Host } from '../../run/input/host.ts';
import { compareStored } from '../../verbs/compare/compare-stored.ts';
import { mergeStored } from '../../verbs/fleet/merge-stored.ts';
import { reportStored } from '../../run/report-stored.ts';
import { damagedCopy } from './damage.fixture.ts';

const [source = '', first = '0', last = '0'] = process.argv.slice(2);
const document = await readFile(source, 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'weir-damaged-'));
const history = join(folder, 'history.db');

const host: Host = {
  environment: { WEIR_HISTORY: history },
  printer: {
    say: () => undefined,
    warn: () => undefined,
    print: ({ text, details }) => {
      text({ colour: false, width: 100 });
      details?.({ colour: false, width: 100 });
    },
    close: ({ closing }) => void closing?.({ colour: false, width: 100 }),
    listFiles: () => undefined,
    screen: null,
  },
  onStop: () => () => undefined,
  ask: null,
};

const file = join(folder, 'result.json');
const out = join(folder, 'out');
const criteria = {
  gate: undefined,
  allowDifferent: true,
  strict: false,
  jobSummary: undefined,
  out,
};

const commands = {
  report: () => reportStored(file, out, { extraReports: {}, requests: null }, host),
  merge: () => mergeStored({ results: [file], out, extraReports: {}, history }, host),
  compare: () => compareStored({ ...criteria, base: [source], next: [file] }, host),
  history: () => listHistory({ plan: undefined, page: false, out: undefined }, host),
};

const outcomeOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
    return 'report';
  } catch (error) {
    return error instanceof Problem ? 'sentence' : `defect: ${String(error)}`;
  }
};

for (let n = Number(first); n < Number(last); n += 1) {
  await writeFile(file, damagedCopy(document, n));
  for (const [command, run] of Object.entries(commands)) {
    const began = performance.now();
    const outcome = await outcomeOf(run);
    console.log(JSON.stringify({ n, command, outcome, took: performance.now() - began }));
  }
}
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS * 1024 }));
await rm(folder, { recursive: true });
