import {
  bytesOfChunk,
  type FleetForecast,
  type SliceForecast,
  sourcePorts,
  weirCosts,
} from '../../model/plan/slice-forecast.ts';
import {
  section,
  type Section,
  text,
  type Block,
  column,
  type Column,
  list,
  type ReportDocument,
  table,
} from '../document/document.ts';
import { countText, figureText, listed, plural, moneyText, timeText } from '../text/number-text.ts';
import type { BudgetUnit } from '../../model/plan/budget.ts';
import type {
  Forecast,
  ForecastAmount,
  ObjectiveForecast,
  ResourceNeed,
  SampleForecast,
} from '../../model/plan/forecast.ts';
import { reportedQuantiles, percentileName } from '../../model/measures/headline.ts';
import { measures } from '../../model/measures/measures.ts';
import { defaultMinSamples } from '../../model/plan/objective.ts';
import { type LimitsPerMinute, limitsOfKey } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { plannedTime, clippedTraces, droppedPrompts } from '../summary/workload-text.ts';
import { present } from '../text/present.ts';
import { hangUpTexts } from '../summary/plan-terms.ts';

const bytesText = (bytes: number): string =>
  bytes < 1e10
    ? `${countText(Math.max(1, Math.ceil(bytes / 1e6)))} MB`
    : `${countText(Math.ceil(bytes / 1e9))} GB`;

const basisText = (basis: NonNullable<SliceForecast['basis']>): string =>
  `This machine was calibrated${basis.isValid ? '' : ' (degraded, as at any load)'} at ${plural(basis.streams, 'stream')} of ${countText(basis.tokensPerSecond)} tokens a second in ${plural(basis.workers, 'worker')}, beside the gateway: no slice gets more.`;

const coresText = (cores: number): string => `${figureText(cores)} cores`;

/** Returns sentences on the needs of all slices together, and on the needs of a machine that merges the results. */
const fleetTexts = (fleet: FleetForecast): readonly string[] => [
  `Together: ${coresText(fleet.cores)}, ${bytesText(fleet.memory)} of memory, ${bytesText(fleet.bytesPerSecond)}/s of answers${fleet.addresses === 1 ? '' : `, and ${countText(fleet.addresses)} source addresses or more for each address and port of the target, since Linux has ${countText(sourcePorts)} source ports for each`}.`,
  `Merging: ${bytesText(fleet.results)} of results, read and merged in about ${timeText(fleet.mergeTime)} of CPU, with ${bytesText(fleet.mergeMemory)} of memory.`,
];

/** Builds the section on the number of machines for a load, and on the needs of each machine. */
const slicesSection = (forecast: SliceForecast, fleet: FleetForecast | undefined): Section => {
  const { slices, streams, sockets, chunksPerSecond, workers, cores } = forecast;
  const { memory, bytesPerSecond, basis } = forecast;
  return section('Slices', [
    text(
      `${plural(slices, 'slice')}, each at its peak with about ${plural(streams, 'request')} in flight, as many sockets (${countText(sockets)}; see ulimit -n), ${plural(chunksPerSecond, 'chunk')} a second in ${plural(workers, 'worker')} (${coresText(cores)}), about ${bytesText(memory)} of memory and ${bytesText(bytesPerSecond)}/s of answers.`,
    ),
    ...(fleet === undefined ? [] : fleetTexts(fleet)).map((each) => text(each)),
    basis !== null && text(basisText(basis)),
    text(
      `CPU: ${figureText(weirCosts.chunk * 1000)} µs a chunk. Memory: ${weirCosts.worker / 2 ** 20} MiB for each worker, and ${weirCosts.stream / 2 ** 10} KiB for each request in flight. Both are rounded up from Weir’s own measurement (reports/scale.md). Answers: ${bytesOfChunk} bytes a chunk, assumed, not measured.`,
    ),
    text(
      'A request counts as ten chunks. In flight are as many as come in the time of an answer: 100 ms, and 10 ms for each token, unless --answer-time gives it.',
    ),
  ]);
};

/** Formats a sum. An estimate gets the prefix `about`, and a bound gets the prefix `at most`. */
export const amountText = (
  { sum, basis, unknown }: ForecastAmount,
  write: (sum: number) => string,
): string => {
  if (unknown > 0 && sum === 0) return 'unknown';
  const unknownText = unknown > 0 ? ` + ${countText(unknown)} unknown` : '';
  const prefix = { exact: '', 'at-most': 'at most ', estimate: 'about ' }[basis];
  return `${prefix}${write(sum)}${unknownText}`;
};

/** Formats the needs of a plan, such as `300 requests, with tokens: 6,000 in, at most 1,500 out; cost: unknown`. */
export const needText = ({ requests, input, output, cost }: ResourceNeed): string =>
  `${amountText(requests, countText)} requests, with tokens: ${amountText(input, countText)} in, ${amountText(output, countText)} out; cost: ${amountText(cost, (sum) => moneyText(Math.ceil(sum)))}`;

export const budgetNeedText = (unit: BudgetUnit, need: ForecastAmount): string =>
  unit === 'cost' ? amountText(need, moneyText) : `${amountText(need, countText)} ${unit}`;

/** Returns what each part of a plan needs, and then what the whole plan needs. The last row has an empty key. */
const needRows = ({ groups, total }: Forecast) => {
  const hasStages = new Set(groups.map(({ stage }) => stage)).size > 1;
  const rows = groups.map(({ stage, traffic, model, entry, key, ...needs }) => {
    const name = entry ?? (model === null ? traffic : `${traffic} (${model})`);
    return { ...needs, name: hasStages ? `${stage}: ${name}` : name, key: key ?? 'any' };
  });
  return [...rows, { ...total, name: 'all', key: '' }];
};

const needColumns: readonly Column<ReturnType<typeof needRows>[number]>[] = [
  column.name('Traffic', ({ name }) => name),
  column.text('Key', ({ key }) => key),
  column.number('Requests', ({ requests }) => amountText(requests, countText)),
  column.number('Tokens in', ({ input }) => amountText(input, countText)),
  column.number('Tokens out', ({ output }) => amountText(output, countText)),
  column.number('Cost', ({ cost }) => amountText(cost, moneyText)),
];

const nameOf = (traffic: string, model: string | null): string =>
  model === null ? traffic : `${traffic} (${model})`;

/** Returns notes on the assumed cached shares of prompts, and on priced traffic whose cached share is unknown. */
const cachedNotes = ({ cachedShares, groups }: Forecast): readonly string[] => {
  if (cachedShares === undefined) return [];
  const chats = groups.filter(({ input }) => input.sum > 0);
  const names = [...new Set(chats.map(({ traffic, model }) => nameOf(traffic, model)))];
  const known = cachedShares.filter(({ traffic, model }) => names.includes(nameOf(traffic, model)));
  const assumed = known.map(
    ({ traffic, model, cached, answers }) =>
      `${nameOf(traffic, model)} ${figureText(cached * 100)} % (${plural(answers, 'answer')})`,
  );
  const others = names.filter(
    (name) => !known.some(({ traffic, model }) => nameOf(traffic, model) === name),
  );
  return present([
    assumed.length > 0 &&
      `Costs assume that as much of the prompts comes from a cache as in the earlier result: ${assumed.join(', ')}.`,
    others.length > 0 &&
      `The earlier result does not say what is cached of ${listed(others)}: its prompts cost the full price.`,
  ]);
};

/** Returns notes on how the sums are computed, and on what the sums leave out. */
const needNotes = (forecast: Forecast): readonly string[] => {
  const { answerTime, lookedInto, attempts, total } = forecast;
  const bases = [total.requests, total.input, total.output, total.cost].map(({ basis }) => basis);
  return present([
    total.output.sum > 0 &&
      (bases.includes('at-most') || total.output.basis !== 'exact') &&
      'Answers are assumed to have maxTokens tokens; most of them are shorter.',
    total.input.basis === 'estimate' &&
      'Prompts that Weir did not generate are counted by words, accurate to about a tenth; images and audio by OpenAI’s rules, which other models do not follow.',
    answerTime !== null &&
      `Users send the next request after an answer, so every answer is assumed to take ${timeText(answerTime)} (--answer-time).`,
    ...cachedNotes(forecast),
    lookedInto !== 1 && `Based on one of every ${countText(lookedInto)} requests.`,
    attempts !== 1 &&
      `Retries are not included: each request can have up to ${countText(attempts)} attempts.`,
  ]);
};

const timeSection = (
  { grace, pace }: Forecast,
  plan: Plan,
  warnings: readonly string[],
): Section => {
  const load = `The load takes ${plannedTime(plan)}, the last answers at most another ${timeText(grace)}.`;
  const warned = list(
    warnings.map((each) => `! ${each}`),
    'warning',
  );
  if (pace === null) return section('Time', [text(load), warned]);
  const { lastRelease, longestWait, tokenTime, unsendable } = pace;
  return section('Time', [
    text(load),
    warned,
    text(
      `The pace releases the last request after ${timeText(lastRelease)} at the earliest; the longest wait is ${timeText(longestWait)}. The tokens alone need ${timeText(tokenTime)}.`,
    ),
    unsendable > 0 &&
      text(
        `✗ ${plural(unsendable, 'request')} cannot be sent before the run or their total deadline ends.`,
        'bad',
      ),
  ]);
};

const allowedText = ({ requestsPerMinute, tokensPerMinute }: LimitsPerMinute): string =>
  present([
    requestsPerMinute !== null && `${countText(requestsPerMinute)} requests`,
    tokensPerMinute !== null && `${countText(tokensPerMinute)} tokens`,
  ]).join(' and ') || 'no limit';

const limitsSection = ({ limits }: Forecast, plan: Plan): Section => {
  const { keys, all, binds, keysNeeded, exceeded } = limits;
  if (binds === null) {
    return section('Limits', [text('The scenario declares no limits.')]);
  }
  const own = plan.keys.some((key) => key.limits !== undefined);
  const allowed = own
    ? plan.keys.map(({ name }) => `${name} ${allowedText(limitsOfKey(plan, name))}`).join(', ')
    : allowedText(plan.limits);
  const each = keys
    .map(({ key, requests, tokens }) => `${key} ${countText(requests)} and ${countText(tokens)}`)
    .join(', ');
  const over = keys.map(({ key }) => key).filter((key) => exceeded.includes(key));
  return section('Limits', [
    text(
      `In the busiest minute ${plural(all.requests, 'request')} and ${plural(all.tokens, 'token')} are due; ${own ? 'allowed are' : 'a key is allowed'} ${allowed}.`,
    ),
    keys.length > 1 && plan.pace === null && text(`By key: ${each}.`),
    keysNeeded !== null &&
      text(
        `The limit of ${binds} is reached first: it needs ${plural(keysNeeded, 'key')}, and the plan has ${countText(plan.keys.length)}.`,
      ),
    over.length > 0 &&
      plan.pace === null &&
      text(
        `! Over the limit: expect 429s with the ${over.length === 1 ? 'key' : 'keys'} ${listed(over)}.`,
        'warning',
      ),
  ]);
};

const percentilesText = (samples: number): string =>
  reportedQuantiles
    .filter((q) => samples >= defaultMinSamples(q))
    .map(percentileName)
    .join(', ') || 'none';

const measuresText = (samples: readonly SampleForecast[]): string => {
  const labels = samples.map(({ measure }) => measures[measure].short);
  const shown = labels.slice(0, 3).join(', ');
  return labels.length > 3 ? `${shown} and ${countText(labels.length - 3)} more` : shown;
};

/** The columns of a table in which each row combines the measures of one kind that have equally many samples. */
const sampleColumns: readonly Column<readonly SampleForecast[]>[] = [
  column.name('Kind', ([first]) => first!.traffic),
  column.number('Samples', ([first]) => countText(first!.samples)),
  column.text('Percentiles', ([first]) => percentilesText(first!.samples)),
  column.words('Measures', measuresText),
];

const samplesText = ({ needs, expects }: ObjectiveForecast): string => {
  if (needs === null) return 'needs no samples';
  const needed = plural(needs, 'sample');
  return expects === null
    ? `needs ${needed}; only the answers show how many there are`
    : `needs ${needed}, can have ${countText(expects)}`;
};

const objectiveBlock = (objective: ObjectiveForecast): Block => {
  const [mark, tone] = {
    true: ['✓', 'plain'] as const,
    false: ['✗', 'bad'] as const,
    null: ['?', 'plain'] as const,
  }[`${objective.isDecidable}`];
  return text(`${mark} ${objective.text}: ${samplesText(objective)}`, tone);
};

const budgetBlock = ({ unit, cap, need }: Forecast['budget'][number]): Block => {
  const fits = need.sum <= cap && need.unknown === 0;
  const most = unit === 'cost' ? moneyText(cap) : countText(cap);
  const words = `${fits ? '✓' : '✗'} ${unit}: allowed ${most}, needed ${budgetNeedText(unit, need)}`;
  return text(words, fits ? 'plain' : 'bad');
};

export const forecastDocument = (
  weir: string,
  forecast: Forecast,
  plan: Plan,
  warnings: readonly string[] = [],
): ReportDocument => ({
  weir,
  title: `Plan “${forecast.name}”: nothing has been sent.`,
  blocks: [
    section('Requests, tokens and cost', [
      table('Requests, tokens and cost of the plan', needColumns, needRows(forecast), {
        toneOf: ({ key }) => (key === '' ? 'strong' : 'plain'),
      }),
      list([...droppedPrompts(plan), ...clippedTraces(plan)], 'warning'),
      list([...needNotes(forecast), ...hangUpTexts(plan)], 'quiet'),
    ]),
    timeSection(forecast, plan, warnings),
    limitsSection(forecast, plan),
    section('Samples if every request succeeds, and percentiles with ten samples beyond', [
      table('Samples of the plan', sampleColumns, [
        ...Map.groupBy(
          forecast.samples,
          ({ traffic, samples }) => `${traffic} ${samples}`,
        ).values(),
      ]),
    ]),
    section('Objectives, and whether they can be decided', forecast.objectives.map(objectiveBlock)),
    section('Budget', forecast.budget.map(budgetBlock)),
    ...(forecast.slices === null ? [] : [slicesSection(forecast.slices, forecast.fleet)]),
  ],
  footer: `Written by Weir ${weir}.`,
});
