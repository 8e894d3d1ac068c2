import { parseArgs } from 'node:util';
import { writeTable } from './harness/markdown-table.ts';
import { examineLimiters, limiterTable } from './limiters/examine-limiters.ts';
import { compliantCases, faultyCases } from './limiters/limiter-cases.ts';

/**
 * `node src/proving/main.ts [--only TEXT] [--limit N] [--window MS] [--quick] [--at-a-time N]`: examines
 * limiters of others and writes a table, `reports/proving/limiters-LIMIT-SECONDSs.md`, and the log of each.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    limit: { type: 'string', default: '20' },
    window: { type: 'string', default: '10000' },
    quick: { type: 'boolean', default: false },
    'at-a-time': { type: 'string', default: '3' },
  },
});

const cases = [...compliantCases, ...faultyCases].filter(({ name, fault }) =>
  `${name}, ${fault?.what ?? ''}`.includes(values.only),
);
const terms = {
  limit: Number(values.limit),
  window: Number(values.window),
  args: values.quick ? ['--quick'] : [],
};
const { rows, skipped } = await examineLimiters({
  cases,
  terms,
  atATime: Number(values['at-a-time']),
  say: console.error,
});
const text = [limiterTable(rows), ...skipped.map((each) => `- ${each}\n`)].join('\n');
await writeTable(`limiters-${terms.limit}-${terms.window / 1000}s`, text);
console.log(text);
