import type {
  Forecast,
  ForecastGroup,
  LimitUnit,
  ObjectiveForecast,
  SampleForecast,
} from '../../model/plan/forecast.ts';
import { measures } from '../../model/measures/measures.ts';
import { defaultMinSamples } from '../../model/plan/objective.ts';
import type { Plan } from '../../model/plan/plan.ts';
import {
  type Block,
  type Column,
  list,
  type ReportDocument,
  section,
  type Section,
  table,
  text,
} from '../document/document.ts';
import { budgetNeedText, countAmountText, moneyAmountText } from '../summary/forecast-text.ts';
import { countText, moneyText, plural, timeText } from '../text/number-text.ts';

interface NeedRow extends Pick<ForecastGroup, 'requests' | 'input' | 'output' | 'cost'> {
  readonly name: string;
  readonly key: string;
  readonly isTotal: boolean;
}

const needRows = ({ groups, total }: Forecast): readonly NeedRow[] => {
  const hasStages = new Set(groups.map(({ stage }) => stage)).size > 1;
  const rows = groups.map((group): NeedRow => {
    const { stage, traffic, model, entry, key } = group;
    const name = entry ?? (model === null ? traffic : `${traffic} (${model})`);
    return {
      ...group,
      name: hasStages ? `${stage}: ${name}` : name,
      key: key ?? 'any',
      isTotal: false,
    };
  });
  return [...rows, { ...total, name: 'all', key: '', isTotal: true }];
};

const needColumns: readonly Column<NeedRow>[] = [
  { title: 'Traffic', holds: 'name', cell: ({ name }) => name },
  { title: 'Key', holds: 'text', cell: ({ key }) => key },
  { title: 'Requests', holds: 'number', cell: ({ requests }) => countAmountText(requests) },
  { title: 'Tokens in', holds: 'number', cell: ({ input }) => countAmountText(input) },
  { title: 'Tokens out', holds: 'number', cell: ({ output }) => countAmountText(output) },
  { title: 'Cost', holds: 'number', cell: ({ cost }) => moneyAmountText(cost) },
];

/** How the sums are computed, and what they leave out. */
const needNotes = (forecast: Forecast): readonly string[] => {
  const { answerTime, lookedInto, attempts, total } = forecast;
  const bases = [total.requests, total.input, total.output, total.cost].map(({ basis }) => basis);
  return [
    ...(bases.includes('at-most') || total.output.basis !== 'exact'
      ? ['Answers are assumed to have maxTokens tokens; most of them are shorter.']
      : []),
    ...(total.input.basis === 'estimate'
      ? ['Prompts that Weir did not generate are counted by words, accurate to about a tenth.']
      : []),
    ...(answerTime === null
      ? []
      : [
          `Users send the next request after an answer, so every answer is assumed to take ${timeText(answerTime)} (--answer-time).`,
        ]),
    ...(lookedInto === 1 ? [] : [`Based on one of every ${countText(lookedInto)} requests.`]),
    ...(attempts === 1
      ? []
      : [`Retries are not included: each request can have up to ${countText(attempts)} attempts.`]),
  ];
};

const timeSection = ({ scheduled, grace, pace }: Forecast): Section => {
  const unsendable = pace?.unsendable ?? 0;
  return section('Time', [
    text(
      `The load takes ${timeText(scheduled)}, the last answers at most another ${timeText(grace)}.`,
    ),
    text(
      pace === null
        ? ''
        : `The pace releases the last request after ${timeText(pace.lastRelease)} at the earliest; the longest wait is ${timeText(pace.longestWait)}. The tokens alone need ${timeText(pace.tokenTime)}.`,
    ),
    text(
      unsendable === 0
        ? ''
        : `✗ ${plural(unsendable, 'request')} cannot be sent before the run or their total deadline ends.`,
      'bad',
    ),
  ]);
};

const limitsSection = ({ limits }: Forecast, plan: Plan): Section => {
  const { keys, all, binds, keysNeeded, exceeded } = limits;
  if (binds === null || keysNeeded === null) {
    return section('Limits', [text('The scenario declares no limits.')]);
  }
  const declared = {
    requests: plan.limits.requestsPerMinute,
    tokens: plan.limits.tokensPerMinute,
  } as const satisfies Record<LimitUnit, number | null>;
  const allowed = (['requests', 'tokens'] as const)
    .flatMap((unit) => (declared[unit] === null ? [] : [`${countText(declared[unit])} ${unit}`]))
    .join(' and ');
  const each = keys
    .map(({ key, requests, tokens }) => `${key} ${countText(requests)} and ${countText(tokens)}`)
    .join(', ');
  const over = keys.filter(({ key }) => exceeded.includes(key));
  return section('Limits', [
    text(
      `In the busiest minute ${plural(all.requests, 'request')} and ${plural(all.tokens, 'token')} are due; a key is allowed ${allowed}.`,
    ),
    text(keys.length < 2 || plan.pace !== null ? '' : `By key: ${each}.`),
    text(
      `The limit of ${binds} is reached first: it needs ${plural(keysNeeded, 'key')}, and the plan has ${countText(plan.keys.length)}.`,
    ),
    text(
      over.length === 0 || plan.pace !== null
        ? ''
        : `! Over the limit: expect 429s with ${over.map(({ key }) => key).join(', ')}.`,
      'warning',
    ),
  ]);
};

const checkedQuantiles = [0.5, 0.9, 0.95, 0.99] as const;

const percentilesText = (samples: number): string =>
  checkedQuantiles
    .filter((q) => samples >= defaultMinSamples(q))
    .map((q) => `p${q * 100}`)
    .join(', ') || 'none';

const measuresText = (samples: readonly SampleForecast[]): string => {
  const labels = samples.map(({ measure }) => measures[measure].short);
  const shown = labels.slice(0, 3).join(', ');
  return labels.length > 3 ? `${shown} and ${countText(labels.length - 3)} more` : shown;
};

/** The measures of a kind that have the same number of samples. */
interface SampleRow extends SampleForecast {
  readonly alike: readonly SampleForecast[];
}

const sampleRows = ({ samples }: Forecast): readonly SampleRow[] => {
  const groups = Map.groupBy(samples, ({ traffic, samples: n }) => `${traffic} ${n}`);
  return [...groups.values()].flatMap((alike) =>
    alike.slice(0, 1).map((each) => ({ ...each, alike })),
  );
};

const sampleColumns: readonly Column<SampleRow>[] = [
  { title: 'Kind', holds: 'name', cell: ({ traffic }) => traffic },
  { title: 'Samples', holds: 'number', cell: ({ samples }) => countText(samples) },
  { title: 'Percentiles', holds: 'text', cell: ({ samples }) => percentilesText(samples) },
  { title: 'Measures', holds: 'text', cell: ({ alike }) => measuresText(alike) },
];

const objectiveText = ({ needs, expects }: ObjectiveForecast): string => {
  if (needs === null) return 'needs no samples';
  const needed = plural(needs, 'sample');
  return expects === null
    ? `needs ${needed}; only the answers show how many there are`
    : `needs ${needed}, can have ${countText(expects)}`;
};

const objectiveBlock = (objective: ObjectiveForecast): Block => {
  const { isDecidable } = objective;
  const mark = isDecidable === null ? '?' : isDecidable ? '✓' : '✗';
  return text(
    `${mark} ${objective.text}: ${objectiveText(objective)}`,
    isDecidable === false ? 'bad' : 'plain',
  );
};

const budgetBlock = ({ unit, cap, need }: Forecast['budget'][number]): Block => {
  const fits = need.sum <= cap && need.unknown === 0;
  const most = unit === 'cost' ? moneyText(cap) : countText(cap);
  return text(
    `${fits ? '✓' : '✗'} ${unit}: allowed ${most}, needed ${budgetNeedText(unit, need)}`,
    fits ? 'plain' : 'bad',
  );
};

/** What a plan needs. */
export const forecastDocument = (weir: string, forecast: Forecast, plan: Plan): ReportDocument => {
  return {
    weir,
    title: `Plan “${forecast.name}”: nothing has been sent.`,
    description: [],
    verdict: null,
    introduction: [],
    blocks: [
      section('Requests, tokens and cost', [
        table('Requests, tokens and cost of the plan', needColumns, needRows(forecast), {
          toneOf: ({ isTotal }) => (isTotal ? 'strong' : 'plain'),
        }),
        list(needNotes(forecast), 'quiet'),
      ]),
      timeSection(forecast),
      limitsSection(forecast, plan),
      section('Samples if every request succeeds, and percentiles with ten samples beyond', [
        table('Samples of the plan', sampleColumns, sampleRows(forecast)),
      ]),
      section('Objectives that can be decided', forecast.objectives.map(objectiveBlock)),
      section('Budget', forecast.budget.map(budgetBlock)),
    ],
    footer: `Written by Weir ${weir}.`,
  };
};
