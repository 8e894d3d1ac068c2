import { parseArgs } from 'node:util';
import { writeTable } from '../harness/markdown-table.ts';
import { runTokenCases, tokenTable } from './run-token-cases.ts';
import { tokenCases } from './token-cases.ts';

/**
 * `node src/proving/tokens/main.ts [--only TEXT] [--seconds N] [--at-a-time N]`: runs a load of four times the limit of
 * tokens against gateways of others and writes a table, `reports/proving/tokens.md`.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '150' },
    'at-a-time': { type: 'string', default: '3' },
  },
});

const terms = { tokens: 20_000, requests: 600, load: 4, seconds: Number(values.seconds) };
const cases = tokenCases.filter(({ name, fault = '' }) =>
  `${name}, ${fault}`.includes(values.only),
);
const text = tokenTable(
  await runTokenCases(cases, terms, Number(values['at-a-time']), console.error),
);
await writeTable('tokens', text);
console.log(text);
