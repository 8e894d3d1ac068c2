import { mkdir, writeFile } from 'node:fs/promises';
import type { BenchPart } from './harness/bench.ts';
import { runBenches } from './harness/run-benches.ts';
import { coldStart } from './lag/cold-start.ts';
import { fixedCost } from './lag/fixed-cost.ts';
import { livePageCost } from './lag/live-page-cost.ts';
import { startLag } from './lag/start-lag.ts';
import { measureContainerStart } from './mock/container-start.ts';
import { measureMockChats } from './mock/mock-chats.ts';
import { measureMockLateness } from './mock/mock-lateness.ts';
import { measureMockMemory } from './mock/mock-memory.ts';
import { measureCommandStart } from './run/command-start.ts';
import { costByTurns } from './run/cost-by-turns.ts';
import { measureForeignLimiters } from './run/foreign-limiters.ts';
import { measureHourOfHeap } from './run/hour-of-heap.ts';
import { measurePromptCost } from './run/prompt-cost.ts';
import { measureRendezvousFaults } from './run/rendezvous-faults.ts';
import { measureReport } from './run/report-size.ts';
import { measureRequestsTable } from './run/requests-table.ts';
import { measureMemoryOfStreams, measureSoak } from './run/resident-memory.ts';
import { capacityOfQueues } from './simulated/capacity-of-queues.ts';
import { capacitySearches } from './simulated/capacity-search.ts';
import { measureComparisonAlarms, measureComparisonPower } from './simulated/comparison-alarms.ts';
import { measureSimulatedLimiters } from './simulated/foreign-limiters.ts';
import { measureLimitExamination } from './simulated/limit-examination.ts';
import { measureManySlices } from './simulated/many-slices.ts';
import { measureTokenExaminations } from './simulated/token-examinations.ts';
import { measurePace } from './simulated/pace-speed.ts';
import { furtherArrivals, usualArrivals } from './transport/arrivals.ts';
import { bursts } from './transport/bursts.ts';
import { measureSmallChats } from './transport/small-chats.ts';
import { measureSteadyFirstTokens } from './transport/steady-streams.ts';
import { streamCost } from './transport/stream-cost.ts';
import { measureStreamMemory } from './transport/stream-memory.ts';
import { measureWorkers } from './transport/workers.ts';
import { measureFigureBounds } from './bounds/figure-bounds.ts';

/** `npm run bench [NAME…]`: prints the figures and writes them to reports/bench.json; exit code 1 if a bound is broken or a figure could not be measured. */

const abouts = {
  mock: 'how late the tokens of the mock are, its memory and its speed',
  transport: 'both transports against widely used clients: speed and exact arrival times',
  streams: 'the cost of a streamed chunk, exact arrival times, the memory of 10,000 streams',
  bursts: 'how late many streams are sent that are due at once, and how exactly they are read',
  memory: 'the heap of an hour against a minute, resident memory over two minutes of streams',
  cost: 'how much CPU a run takes that has little to do',
  lag: 'how late a run starts its requests, alone and beside streams; what the first ones cost',
  start: 'how long the command takes from start to end',
  turns: 'what whole runs cost beside the version of an earlier day, by turns',
  limits: 'whether examinations name limiters rightly, accuse none, and catch planted faults',
  tokens: 'whether examinations of tokens accuse none that keep their limit, and show faults',
  limiters: 'whether examinations of limiters that others wrote are right',
  pace: 'how much of the admitted work a paced client does, beside one that only backs off',
  workload: 'whether making prompts costs less CPU than sending them',
  capacity: 'how far capacity searches end from the saturation by formula',
  comparisons: 'how often runs of an unchanged gateway are called a regression, 10,000 times each',
  report: 'how large the report of a long run is, and how fast a browser opens it',
  requests: 'what a table of a million requests costs',
  container: 'how long the container of the mock takes until it answers',
  soak: 'whether the memory of one run grows over ten minutes',
  truth: 'whether the bounds of figures contain their true values, beside what disturbs a run',
  slices: 'whether merging and talking grow no faster than the number of slices, up to 200',
  rendezvous: 'whether runs on several machines are honest, whatever happens to their processes',
} as const;
type BenchName = keyof typeof abouts;

const parts: Readonly<Record<BenchName, readonly BenchPart[]>> = {
  mock: [measureMockLateness, measureMockMemory, measureMockChats],
  transport: [measureSmallChats, measureWorkers, ...usualArrivals],
  streams: [...streamCost, measureSteadyFirstTokens, ...furtherArrivals, measureStreamMemory],
  bursts,
  memory: [measureHourOfHeap, measureMemoryOfStreams],
  cost: [...fixedCost, ...livePageCost],
  lag: [...startLag, coldStart],
  start: [measureCommandStart],
  turns: [costByTurns],
  limits: [measureLimitExamination, measureSimulatedLimiters],
  tokens: [measureTokenExaminations],
  limiters: [measureForeignLimiters],
  pace: [measurePace],
  workload: [measurePromptCost],
  capacity: [...capacitySearches, ...capacityOfQueues],
  comparisons: [measureComparisonAlarms, measureComparisonPower],
  report: [measureReport],
  requests: [measureRequestsTable],
  container: [measureContainerStart],
  soak: [measureSoak],
  truth: [measureFigureBounds],
  slices: [measureManySlices],
  rendezvous: [measureRendezvousFaults],
};

/** They take so long that they run only if they are named. */
const onlyByName: readonly BenchName[] = [
  'turns',
  'tokens',
  'limiters',
  'comparisons',
  'soak',
  'truth',
  'slices',
  'rendezvous',
];

const known = Object.keys(abouts) as BenchName[];
const names = process.argv.slice(2);
const unknown = names.filter((name) => !known.some((each) => each === name));
const chosen = known.filter((name) =>
  names.length === 0 ? !onlyByName.includes(name) : names.includes(name),
);
const say = (text: string): void => console.error(text);

const help = (): string => {
  const lines = known.map((name) => {
    const note = onlyByName.includes(name) ? ' (runs only if named, since it takes long)' : '';
    return `  ${name.padEnd(11)} ${abouts[name]}${note}`;
  });
  return `npm run bench [NAME…]\n\n${lines.join('\n')}`;
};

const runChosen = async (): Promise<void> => {
  say(`Running ${chosen.join(', ')} in this order; most take minutes.`);
  if (names.length === 0)
    say(
      `Skipping ${onlyByName.join(' and ')}, since they take long; run them with: npm run bench ${onlyByName.join(' ')}`,
    );
  const benches = chosen.map((name) => ({ name, about: abouts[name], parts: parts[name] }));
  const { results, isPassed } = await runBenches(benches, { print: console.log, say });
  await mkdir('reports', { recursive: true });
  await writeFile('reports/bench.json', `${JSON.stringify(results, null, 2)}\n`);
  if (!isPassed) process.exitCode = 1;
};

if (names.includes('--help') || names.includes('-h')) console.log(help());
else if (unknown.length > 0) {
  console.error(`Unknown bench: ${unknown.join(', ')}. Choose from: ${known.join(', ')}.`);
  process.exitCode = 2;
} else await runChosen();
