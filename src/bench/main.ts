import { mkdir, writeFile } from 'node:fs/promises';
import type { Bench, BenchPart } from './harness/bench.ts';
import { runBenches } from './harness/run-benches.ts';
import { measureStartLag } from './lag/start-lag.ts';
import { measureContainerStart } from './mock/container-start.ts';
import { measureMockChats } from './mock/mock-chats.ts';
import { measureMockLateness } from './mock/mock-lateness.ts';
import { measureMockMemory } from './mock/mock-memory.ts';
import { measureHourOfHeap } from './run/hour-of-heap.ts';
import { measurePromptCost } from './run/prompt-cost.ts';
import { measureReport } from './run/report-size.ts';
import { measureSoak } from './run/soak.ts';
import { measureCommandStart } from './run/command-start.ts';
import { measureCapacitySearch } from './simulated/capacity-search.ts';
import { measureLimitExamination } from './simulated/limit-examination.ts';
import { measurePace } from './simulated/pace-speed.ts';
import { measureFurtherArrivals, measureUsualArrivals } from './transport/arrivals.ts';
import { measureSmallChats } from './transport/small-chats.ts';
import { measureStreamCost } from './transport/stream-cost.ts';
import { measureStreamMemory } from './transport/stream-memory.ts';

/** `npm run bench [NAME…]`: prints the figures and writes them to reports/bench.json; exit code 1 if a bound is broken or a figure could not be measured. */

const bench = (name: string, about: string, ...parts: readonly BenchPart[]): Bench => ({
  name,
  about,
  parts,
});

const benches: readonly Bench[] = [
  bench(
    'mock',
    'how late the tokens of the mock are, its memory and its speed',
    measureMockLateness,
    measureMockMemory,
    measureMockChats,
  ),
  bench(
    'transport',
    'both transports against widely used clients: speed and exact arrival times',
    measureSmallChats,
    measureUsualArrivals,
  ),
  bench(
    'streams',
    'the cost of a streamed chunk, exact arrival times, the memory of 10,000 streams',
    measureStreamCost,
    measureFurtherArrivals,
    measureStreamMemory,
  ),
  bench('memory', 'the heap after a run of an hour against one of a minute', measureHourOfHeap),
  bench('lag', 'how late a run starts its requests, alone and beside streams', measureStartLag),
  bench('start', 'how long the command takes from start to end', measureCommandStart),
  bench(
    'limits',
    'whether examinations name the right limiter and report no false violation',
    measureLimitExamination,
  ),
  bench(
    'pace',
    'how much of the admitted work a paced client does, beside one that only backs off',
    measurePace,
  ),
  bench('workload', 'whether making prompts costs less CPU than sending them', measurePromptCost),
  bench(
    'capacity',
    'how far capacity searches end from the saturation by formula',
    measureCapacitySearch,
  ),
  bench(
    'report',
    'how large the report of a long run is, and how fast a browser opens it',
    measureReport,
  ),
  bench(
    'container',
    'how long the container of the mock takes until it answers',
    measureContainerStart,
  ),
  {
    ...bench('soak', 'whether the memory of one run grows over ten minutes', measureSoak),
    onlyByName: true,
  },
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => benches.every((known) => known.name !== name));
const chosen = benches.filter(({ name, onlyByName }) =>
  names.length === 0 ? onlyByName !== true : names.includes(name),
);
const say = (text: string): void => console.error(text);

const help = (): string => {
  const line = ({ name, about, onlyByName }: Bench): string =>
    `  ${name.padEnd(10)} ${about}${onlyByName === true ? ' (runs only if named, since it takes long)' : ''}`;
  return `npm run bench [NAME…]\n\n${benches.map(line).join('\n')}`;
};

const runChosen = async (): Promise<void> => {
  say(`Running ${chosen.map(({ name }) => name).join(', ')} in this order; most take minutes.`);
  for (const { name } of benches.filter(({ onlyByName }) => names.length === 0 && onlyByName))
    say(`Skipping ${name}, since it takes long; run it with: npm run bench ${name}`);
  const { results, isPassed } = await runBenches(chosen, { print: console.log, say });
  await mkdir('reports', { recursive: true });
  await writeFile('reports/bench.json', `${JSON.stringify(results, null, 2)}\n`);
  if (!isPassed) process.exitCode = 1;
};

if (names.includes('--help') || names.includes('-h')) console.log(help());
else if (unknown.length > 0) {
  const known = benches.map(({ name }) => name).join(', ');
  console.error(`Unknown bench: ${unknown.join(', ')}. Choose from: ${known}.`);
  process.exitCode = 2;
} else await runChosen();
