import { mkdir, writeFile } from 'node:fs/promises';
import type { Bench } from './harness/bench.ts';
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

const benches: readonly Bench[] = [
  {
    name: 'mock',
    about: 'how late the tokens of the mock are, its memory and its speed',
    parts: [measureMockLateness, measureMockMemory, measureMockChats],
  },
  {
    name: 'transport',
    about: 'both transports against widely used clients: speed and exact arrival times',
    parts: [measureSmallChats, measureUsualArrivals],
  },
  {
    name: 'streams',
    about: 'the cost of a streamed chunk, exact arrival times, the memory of 10,000 streams',
    parts: [measureStreamCost, measureFurtherArrivals, measureStreamMemory],
  },
  {
    name: 'memory',
    about: 'the heap after a run of an hour against one of a minute',
    parts: [measureHourOfHeap],
  },
  {
    name: 'lag',
    about: 'how late a run starts its requests, alone and beside streams',
    parts: [measureStartLag],
  },
  {
    name: 'start',
    about: 'how long the command takes from start to end',
    parts: [measureCommandStart],
  },
  {
    name: 'limits',
    about: 'whether examinations name the right limiter and report no false violation',
    parts: [measureLimitExamination],
  },
  {
    name: 'pace',
    about: 'how much of the admitted work a paced client does, beside one that only backs off',
    parts: [measurePace],
  },
  {
    name: 'workload',
    about: 'whether making prompts costs less CPU than sending them',
    parts: [measurePromptCost],
  },
  {
    name: 'capacity',
    about: 'how far capacity searches end from the saturation by formula',
    parts: [measureCapacitySearch],
  },
  {
    name: 'report',
    about: 'how large the report of a long run is, and how fast a browser opens it',
    parts: [measureReport],
  },
  {
    name: 'container',
    about: 'how long the container of the mock takes until it answers',
    parts: [measureContainerStart],
  },
  {
    name: 'soak',
    about: 'whether the memory of one run grows over ten minutes',
    onlyByName: true,
    parts: [measureSoak],
  },
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => benches.every((bench) => bench.name !== name));
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
  for (const { name } of benches.filter((bench) => names.length === 0 && bench.onlyByName))
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
