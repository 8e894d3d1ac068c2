import { mkdir, writeFile } from 'node:fs/promises';
import type { Bench } from './harness/bench.ts';
import { capacityBench } from './simulated/capacity-bench.ts';
import { containerBench } from './mock/container-bench.ts';
import { lagBench } from './lag/lag-bench.ts';
import { limitsBench } from './simulated/limits-bench.ts';
import { mockBench } from './mock/mock-bench.ts';
import { memoryBench } from './run/memory-bench.ts';
import { soakBench } from './run/soak-bench.ts';
import { streamsBench } from './streams/streams-bench.ts';
import { startBench } from './run/start-bench.ts';
import { transportBench } from './transport/transport-bench.ts';
import { paceBench } from './simulated/pace-bench.ts';
import { reportBench } from './run/report-bench.ts';
import { runBenches } from './harness/run-benches.ts';
import { workloadBench } from './run/workload-bench.ts';

/** `npm run bench [NAME…]`: prints what was measured and leaves it in reports/bench.json; exit 1 when a bound is broken or something could not be measured. */

const benches: readonly Bench[] = [
  mockBench,
  transportBench,
  streamsBench,
  memoryBench,
  lagBench,
  startBench,
  limitsBench,
  paceBench,
  workloadBench,
  capacityBench,
  reportBench,
  containerBench,
  soakBench,
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => benches.every((bench) => bench.name !== name));
const chosen = benches.filter(({ name, onlyByName }) =>
  names.length === 0 ? onlyByName !== true : names.includes(name),
);
const say = (text: string): void => console.error(text);

const help = (): string => {
  const line = ({ name, about, onlyByName }: Bench): string =>
    `  ${name.padEnd(10)} ${about}${onlyByName === true ? ' (only by name, since it takes long)' : ''}`;
  return `npm run bench [NAME…]\n\n${benches.map(line).join('\n')}`;
};

const runChosen = async (): Promise<void> => {
  say(`Runs ${chosen.map(({ name }) => name).join(', ')}, one after the other: most take minutes.`);
  for (const { name } of benches.filter((bench) => names.length === 0 && bench.onlyByName))
    say(`Left out, since it takes long: ${name} (npm run bench ${name})`);
  const { results, isPassed } = await runBenches(chosen, { print: console.log, say });
  await mkdir('reports', { recursive: true });
  await writeFile('reports/bench.json', `${JSON.stringify(results, null, 2)}\n`);
  if (!isPassed) process.exitCode = 1;
};

if (names.includes('--help') || names.includes('-h')) console.log(help());
else if (unknown.length > 0) {
  const known = benches.map(({ name }) => name).join(', ');
  console.error(`There is no bench ${unknown.join(', ')}; there are: ${known}.`);
  process.exitCode = 2;
} else await runChosen();
