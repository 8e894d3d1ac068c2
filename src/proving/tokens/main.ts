import { appendFile, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTable } from '../harness/markdown-table.ts';
import { examineTokenCase } from './examine-token-case.ts';
import { examinationTable } from './examination-table.ts';
import { runTokenCase } from './run-token-case.ts';
import { runTokenCases, tokenTable } from './run-token-cases.ts';
import { tokenCases } from './token-cases.ts';

/**
 * `node src/proving/tokens/main.ts [--only PATTERN] [--seconds N] [--at-a-time N]`: runs a load of four times the limit of
 * tokens against gateways of others and writes a table, `reports/proving/tokens.md`. With `--examine`, `weir limits
 * --tokens` examines each for 12 minutes instead (`--promised` adds `--yes-tokens`) and the table is
 * `reports/proving/token-limits.md`, with the report and the gateway's log of each beside it.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '150' },
    'at-a-time': { type: 'string', default: '3' },
    examine: { type: 'boolean', default: false },
    promised: { type: 'boolean', default: false },
  },
});

const only = new RegExp(values.only);
const cases = tokenCases.filter(({ name, fault = 'no fault' }) => only.test(`${name}, ${fault}`));
const atATime = Number(values['at-a-time']);

const examineAll = async (): Promise<string> => {
  // A gateway may run in its own folder.
  const folder = resolve('reports/proving/token-limits');
  await mkdir(folder, { recursive: true });
  const terms = { tokens: 20_000, requests: 60, isPromised: values.promised, folder };
  const examine = async (tried: (typeof cases)[number]) => {
    const row = await examineTokenCase(tried, terms);
    await appendFile(`${folder}/rows.jsonl`, `${JSON.stringify(row)}\n`);
    return row;
  };
  const rows = await runTokenCases(cases, examine, atATime, console.error);
  const text = examinationTable(rows.map(([, row]) => row));
  await writeTable('token-limits', text);
  return text;
};

const runAll = async (): Promise<string> => {
  const terms = { tokens: 20_000, requests: 600, load: 4, seconds: Number(values.seconds) };
  const run = (tried: (typeof cases)[number]) => runTokenCase(tried, terms);
  const text = tokenTable(await runTokenCases(cases, run, atATime, console.error));
  await writeTable('tokens', text);
  return text;
};

console.log(await (values.examine ? examineAll() : runAll()));
