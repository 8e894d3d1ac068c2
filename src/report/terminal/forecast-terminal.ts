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
import { countAmountText, budgetNeedText, moneyAmountText } from '../summary/forecast-text.ts';
import { countText, moneyText, plural, timeText } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import {
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
  tableLines,
} from './terminal-layout.ts';

const title = ({ paint }: TerminalLayout, text: string): readonly string[] => [
  '',
  paint('strong', text),
];

const textLines = (
  layout: TerminalLayout,
  text: string,
  style: TextStyle = 'plain',
): readonly string[] => paragraph(layout, printable(text), { style });

const rowOf = (group: ForecastGroup, hasStages: boolean): readonly { text: string }[] => {
  const { stage, traffic, model, entry, key, requests, input, output, cost } = group;
  const name = entry ?? (model === null ? traffic : `${traffic} (${model})`);
  return [
    hasStages ? `${stage}: ${name}` : name,
    key ?? 'any',
    countAmountText(requests),
    countAmountText(input),
    countAmountText(output),
    moneyAmountText(cost),
  ].map((text) => ({ text: printable(text) }));
};

const needLines = (layout: TerminalLayout, { groups, total }: Forecast): readonly string[] => {
  const hasStages = new Set(groups.map(({ stage }) => stage)).size > 1;
  const { requests, input, output, cost } = total;
  const sum = [
    countAmountText(requests),
    countAmountText(input),
    countAmountText(output),
    moneyAmountText(cost),
  ];
  const head = ['', 'key', 'requests', 'tokens in', 'tokens out', 'money'];
  const rows = [
    ...groups.map((group) => rowOf(group, hasStages)),
    ['all', '', ...sum].map((text) => ({ text, style: 'strong' as const })),
  ];
  return [...title(layout, 'What it takes'), ...tableLines(layout, { head, rows, rightFrom: 2 })];
};

/** How the sums come about, and what is not in them. */
const needNotes = (layout: TerminalLayout, forecast: Forecast): readonly string[] => {
  const { answerTime, lookedInto, attempts, total } = forecast;
  const bases = [total.requests, total.input, total.output, total.cost].map(({ basis }) => basis);
  const notes = [
    ...(bases.includes('at-most') || total.output.basis !== 'exact'
      ? [
          'Answers are taken to be as long as maxTokens lets them be; most of the time they are shorter.',
        ]
      : []),
    ...(total.input.basis === 'estimate'
      ? ['Prompts that were not made are counted by their words, within about a tenth.']
      : []),
    ...(answerTime === null
      ? []
      : [
          `Users ask as often as they are answered: every answer is taken to last ${timeText(answerTime)} (--answer-time).`,
        ]),
    ...(lookedInto === 1 ? [] : [`Of ${countText(lookedInto)} requests one was looked into.`]),
    ...(attempts === 1
      ? []
      : [`Further attempts come on top: up to ${countText(attempts)} for each request in all.`]),
  ];
  return notes.flatMap((note) => textLines(layout, note, 'quiet'));
};

const timeLines = (
  layout: TerminalLayout,
  { scheduled, grace, pace }: Forecast,
): readonly string[] => {
  const lines = [
    `The load lasts ${timeText(scheduled)}, the last answers at most ${timeText(grace)} more.`,
    ...(pace === null
      ? []
      : [
          `The pace lets the last request go after ${timeText(pace.lastRelease)} at the earliest; the longest wait is ${timeText(pace.longestWait)}. Its tokens alone need ${timeText(pace.tokenTime)}.`,
        ]),
  ];
  const unsendable = pace?.unsendable ?? 0;
  return [
    ...title(layout, 'Time'),
    ...lines.flatMap((line) => textLines(layout, line)),
    ...(unsendable === 0
      ? []
      : textLines(
          layout,
          `✗ ${plural(unsendable, 'request')} cannot be sent before the run or their total deadline ends.`,
          'bad',
        )),
  ];
};

const limitLines = (
  layout: TerminalLayout,
  { limits }: Forecast,
  plan: Plan,
): readonly string[] => {
  const { keys, all, binds, keysNeeded, exceeded } = limits;
  if (binds === null || keysNeeded === null) {
    return [...title(layout, 'Limits'), ...textLines(layout, 'The scenario declares none.')];
  }
  const declared = {
    requests: plan.limits.requestsPerMinute,
    tokens: plan.limits.tokensPerMinute,
  } as const satisfies Record<LimitUnit, number | null>;
  const minute = `In the fullest minute ${plural(all.requests, 'request')} and ${plural(all.tokens, 'token')} are due; a key may have ${(
    ['requests', 'tokens'] as const
  )
    .flatMap((unit) => (declared[unit] === null ? [] : [`${countText(declared[unit])} ${unit}`]))
    .join(' and ')}.`;
  const binding = `The limit of ${binds} binds first: ${plural(keysNeeded, 'key')} would do, and the plan has ${countText(plan.keys.length)}.`;
  const each = keys
    .map(({ key, requests, tokens }) => `${key} ${countText(requests)} and ${countText(tokens)}`)
    .join(', ');
  const over = keys.filter(({ key }) => exceeded.includes(key));
  return [
    ...title(layout, 'Limits'),
    ...textLines(layout, minute),
    ...(keys.length < 2 || plan.pace !== null ? [] : textLines(layout, `By key: ${each}.`)),
    ...textLines(layout, binding),
    ...(over.length === 0 || plan.pace !== null
      ? []
      : textLines(
          layout,
          `! More than allowed: 429s are to be expected with ${over.map(({ key }) => key).join(', ')}.`,
          'warning',
        )),
  ];
};

const checkedQuantiles = [0.5, 0.9, 0.95, 0.99] as const;

const percentiles = (samples: number): string =>
  checkedQuantiles
    .filter((q) => samples >= defaultMinSamples(q))
    .map((q) => `p${q * 100}`)
    .join(', ') || 'none';

const labelsOf = (samples: readonly SampleForecast[]): string => {
  const labels = samples.map(({ measure }) => measures[measure].short);
  const shown = labels.slice(0, 3).join(', ');
  return labels.length > 3 ? `${shown} and ${countText(labels.length - 3)} more` : shown;
};

const sampleLines = (layout: TerminalLayout, { samples }: Forecast): readonly string[] => {
  if (samples.length === 0) return [];
  const alike = Map.groupBy(samples, ({ traffic, samples: n }) => `${traffic} ${n}`);
  const rows = [...alike.values()].map((each) => {
    const { traffic, samples: n } = each[0]!;
    return [traffic, countText(n), percentiles(n), labelsOf(each)].map((text) => ({ text }));
  });
  const head = ['kind', 'samples', 'percentiles', 'of'];
  return [
    ...title(
      layout,
      'Samples, if every request succeeds, and the percentiles with ten of them beyond',
    ),
    ...tableLines(layout, { head, rows, rightFrom: 4 }),
  ];
};

const objectiveText = ({ needs, expects }: ObjectiveForecast): string => {
  if (needs === null) return 'needs no samples';
  const wanted = `${countText(needs)} ${needs === 1 ? 'sample' : 'samples'}`;
  return expects === null
    ? `needs ${wanted}; only the answers tell how many there are`
    : `needs ${wanted}, and can have ${countText(expects)}`;
};

const objectiveLines = (layout: TerminalLayout, { objectives }: Forecast): readonly string[] =>
  objectives.length === 0
    ? []
    : [
        ...title(layout, 'Objectives that can be decided'),
        ...objectives.flatMap((each) => {
          const mark = each.isDecidable === null ? '?' : each.isDecidable ? '✓' : '✗';
          const style = each.isDecidable === false ? 'bad' : 'plain';
          return textLines(layout, `${mark} ${each.text}: ${objectiveText(each)}`, style);
        }),
      ];

const budgetLines = (layout: TerminalLayout, { budget }: Forecast): readonly string[] =>
  budget.length === 0
    ? []
    : [
        ...title(layout, 'Budget'),
        ...budget.flatMap(({ unit, cap, need }) => {
          const fits = need.sum <= cap && need.unknown === 0;
          const most = unit === 'cost' ? moneyText(cap) : countText(cap);
          const text = `${fits ? '✓' : '✗'} ${unit}: ${most} may be spent, needed: ${budgetNeedText(unit, need)}`;
          return textLines(layout, text, fits ? 'plain' : 'bad');
        }),
      ];

/** What a plan will take, for a terminal. */
export const forecastTerminal = (
  forecast: Forecast,
  plan: Plan,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  return [
    layout.paint('strong', printable(`Plan “${forecast.name}”: nothing has been sent.`)),
    ...needLines(layout, forecast),
    ...needNotes(layout, forecast),
    ...timeLines(layout, forecast),
    ...limitLines(layout, forecast, plan),
    ...sampleLines(layout, forecast),
    ...objectiveLines(layout, forecast),
    ...budgetLines(layout, forecast),
  ].join('\n');
};
