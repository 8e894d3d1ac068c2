import {
  type Cell,
  column,
  type Column,
  table,
  type Table,
  type Block,
  fold,
  only,
  section,
  list,
  type Section,
  text,
} from '../document/document.ts';
import { slowQuantile, percentileName, reportedQuantiles } from '../../model/measures/headline.ts';
import {
  markedErrorText,
  type MeasureFigures,
  kindsPresent,
  type KindFigures,
  kindFigures,
  lagFigures,
  measuredOf,
  completedShareText,
  percentileText,
} from '../summary/figures.ts';
import {
  countText,
  factorText,
  figureText,
  intervalText,
  listed,
  shareText,
  plural,
} from '../text/number-text.ts';
import type { Labels, Group } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  figuresOver,
  groupsMatching,
  type MeasuredQuantile,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { arrivalCounts, tokenSourceMeaning } from '../summary/outcome-text.ts';
import { stageSpans } from '../../model/plan/stage-spans.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { rateSentences, tokenNotes, wordErrorSentence } from '../summary/rates.ts';
import { present } from '../text/present.ts';
import { sumOf } from '../../model/sums.ts';

/** Formats a figure. The time per second of audio is also shown as a real-time factor. */
const valueCell = (value: number, unit: string): Cell => ({
  text: figureText(value, unit),
  ...(unit === 'ms/s' ? { unit: factorText(value) } : {}),
});

/**
 * Formats a percentile with its confidence interval. The percentile is marked if fewer than ten samples are beyond it,
 * or if counting failures would change it.
 */
const quantileCell = (found: MeasuredQuantile, unit: string): Cell => ({
  ...valueCell(found.value, unit),
  text: percentileText(found, unit),
  note:
    found.low === null && found.high === null
      ? undefined
      : `[${intervalText(found.low, found.high, unit)}]`,
  tone: found.weak ? 'quiet' : 'strong',
});

const figureColumns: readonly Column<MeasureFigures>[] = [
  column.name({ title: 'Measure', media: ['html'] }, ({ subject, withheld }) => ({
    text: subject.label,
    unit: `${subject.unit}${subject.better === 'higher' ? ' · higher is better' : ''}`,
    note: withheld ? 'withheld: it would look better than it is' : undefined,
  })),
  column.name({ title: 'Measure', media: ['terminal', 'markdown'] }, ({ subject }) => ({
    text: subject.short,
    unit: subject.unit.replace('characters', 'chars'),
  })),
  column.number('n', ({ n, quantiles }) => ({
    text: countText(n),
    note: quantiles.map(completedShareText).find((share) => share !== null) ?? undefined,
  })),
  ...reportedQuantiles.map((q) =>
    column.number(
      { title: percentileName(q), spare: q === 0.9 },
      ({ subject, quantiles, withheld }: MeasureFigures) => {
        const slow = slowQuantile(q, subject.better);
        const found = quantiles.find((each) => each.q === slow);
        if (withheld) return { text: 'withheld', tone: 'bad' };
        if (found === undefined) return '–';
        const cell = quantileCell(found, subject.unit);
        const named = slow === q ? cell : { ...cell, text: `${percentileName(slow)} ${cell.text}` };
        return { ...named, error: markedErrorText(found.error) };
      },
    ),
  ),
  column.number({ title: 'max', spare: true }, ({ subject, max, withheld }) =>
    withheld ? '–' : valueCell(max, subject.unit),
  ),
];

/** Makes a table with a row for each measure. Percentiles have confidence intervals and measurement errors. */
const figuresTable = (
  caption: string,
  rows: readonly MeasureFigures[],
  groupOf: (figures: MeasureFigures) => string = () => '',
): Table => table(caption, figureColumns, rows, { look: 'figures', showsNotes: true, groupOf });

const breakdownLabels = ['target', 'population', 'stage', 'entry', 'model', 'key'] as const;
type BreakdownLabel = (typeof breakdownLabels)[number];

const valueOf = (labels: Labels, label: BreakdownLabel): string | null =>
  label === 'entry' ? (labels.entry ?? 'without a name') : (labels[label] ?? null);

const labelValues = (result: Result, label: BreakdownLabel): readonly string[] => [
  ...new Set(
    groupsMatching(result, outsideWarmUp).flatMap(({ labels }) => valueOf(labels, label) ?? []),
  ),
];

/** Divides the arrivals after the warm-up by a label's values, and each of these parts by kind of traffic. */
const breakdownBy = (result: Result, label: BreakdownLabel) =>
  labelValues(result, label).flatMap((name) =>
    kindsPresent(result).flatMap((kind) => {
      const where = (each: Labels): boolean =>
        outsideWarmUp(each) && valueOf(each, label) === name && each.traffic === kind;
      const groups = groupsMatching(result, where);
      return groups.length === 0 ? [] : { kind, name, where, counts: arrivalCounts(groups) };
    }),
  );
type BreakdownRow = ReturnType<typeof breakdownBy>[number];

/** Names the measure of the wait for the first output, for kinds of traffic whose answers arrive in parts. */
const firstOutput: Partial<Record<TrafficKind, MeasureName>> = {
  'chat-stream': 'ttft',
  speech: 'firstAudio',
};

/** Returns for how many seconds after the warm-up a population or a stage had load; `null` for less than one second. */
const loadSeconds = (result: Result, label: BreakdownLabel, name: string): number | null => {
  const { plan, scheduled } = result;
  const own = stageSpans(plan).filter((span, i) =>
    label === 'stage' ? span.name === name : plan.stages[i]!.population === name,
  );
  const time = sumOf(own, ({ from, to }) =>
    Math.max(0, Math.min(to, scheduled) - Math.max(from, plan.warmUp)),
  );
  return time < 1000 ? null : time / 1000;
};

/**
 * Returns columns with the rates of each population or stage over the time in which it had load. The arrivals that were
 * due in this time count, no matter when they were answered.
 */
const rateColumns = (result: Result, label: BreakdownLabel): readonly Column<BreakdownRow>[] => {
  const rateColumn = (title: string, of: (row: BreakdownRow) => number): Column<BreakdownRow> =>
    column.number({ title, media: ['html'] }, (row) => {
      const seconds = loadSeconds(result, label, row.name);
      return seconds === null ? '–' : figureText(of(row) / seconds);
    });
  const outputOf = ({ where }: BreakdownRow): number =>
    sumOf(groupsMatching(result, where), ({ tokens }) => sumOf(tokens, ({ output }) => output));
  const hasTokens = result.groups.some(({ tokens }) => tokens.length > 0);
  return [
    rateColumn('Due /s', ({ counts }) => counts.due),
    rateColumn('Completed /s', ({ counts }) => counts.completed),
    ...(hasTokens ? [rateColumn('Output tokens /s', outputOf)] : []),
  ];
};

const shareCell = ({ counts }: BreakdownRow, outcome: 'completed' | 'limited'): Cell => ({
  text: shareText(counts[outcome], counts.due - (outcome === 'completed' ? counts.cancelled : 0)),
  note: countText(counts[outcome]),
  tone: outcome === 'limited' && counts.limited > 0 ? 'warning' : 'plain',
});

const breakdownTable = (result: Result, label: BreakdownLabel): Table => {
  const firstMeasures = new Set(kindsPresent(result).flatMap((kind) => firstOutput[kind] ?? []));
  const first = [...firstMeasures].map((name) => measures[name].short).join(' or ');
  const latencyColumns = (
    [title, short]: readonly [title: string, short: string],
    measureOf: (kind: TrafficKind) => MeasureName | undefined,
  ): readonly Column<BreakdownRow>[] =>
    [0.5, 0.95].map((q) => {
      const name = percentileName(q);
      const head = { title: `${title} ${name}`, short: q === 0.5 ? `${short} p50` : name };
      return column.number(head, ({ kind, where }) => {
        const measure = measureOf(kind);
        const found =
          measure === undefined ? null : figuresOver(result, measure, where).percentile(q);
        return found === null ? '–' : quantileCell(found, 'ms');
      });
    });
  const rows = breakdownBy(result, label);
  const hungUpOf = ({ counts }: BreakdownRow): string => countText(counts.cancelled);
  const hasHangUps = rows.some(({ counts }) => counts.cancelled > 0);
  const columns: readonly Column<BreakdownRow>[] = [
    column.name('Kind', ({ kind }) => kind),
    ...(first === '' ? [] : latencyColumns([first, 'first'], (kind) => firstOutput[kind])),
    ...latencyColumns(['End to end', 'end'], () => 'endToEnd'),
    column.number('Arrivals', ({ counts }) => countText(counts.due)),
    ...(hasHangUps ? [column.number('Hung up', hungUpOf)] : []),
    column.number('Completed', (row) => shareCell(row, 'completed')),
    column.number('429', (row) => shareCell(row, 'limited')),
    ...(label === 'population' || label === 'stage' ? rateColumns(result, label) : []),
  ];
  const caption = `By ${label}, after the warm-up; latencies in ms`;
  return table(caption, columns, rows, { groupOf: ({ name }) => name });
};

/** Returns the labels with several values, except those that divide the run in the same way as an earlier label. */
const dividingLabels = (result: Result): readonly BreakdownLabel[] => {
  const groups = groupsMatching(result, outsideWarmUp);
  const isSame = (a: BreakdownLabel, b: BreakdownLabel): boolean =>
    groups.every(({ labels }) => valueOf(labels, a) === valueOf(labels, b));
  return breakdownLabels
    .filter((label) => labelValues(result, label).length > 1)
    .filter((label, i, all) => !all.slice(0, i).some((earlier) => isSame(earlier, label)));
};

/** Returns a line for each value of a label and each kind of traffic: the share of completed arrivals, and a p95. */
const partLines = (
  result: Result,
  label: BreakdownLabel,
  nameOf: (name: string) => string = (name) => name,
): readonly string[] =>
  breakdownBy(result, label).map(({ name, kind, where, counts }) => {
    const measure = firstOutput[kind] ?? 'endToEnd';
    const found = figuresOver(result, measure, where).percentile(0.95);
    const { short, unit } = measures[measure];
    const time = found !== null && `${short} p95 ${quantileCell(found, unit).text} ${unit}`;
    const asked = counts.due - counts.cancelled;
    const share = `${shareText(counts.completed, asked)} of ${countText(asked)} completed`;
    return present([`${nameOf(name)}: ${kind}`, share, time]).join(', ');
  });

/** Returns a line for each population and kind of traffic. The line names the population's target if there is one. */
export const populationLines = (result: Result): readonly string[] => {
  const targets = new Map(result.plan.populations?.map(({ name, target }) => [name, target]));
  return partLines(result, 'population', (name) =>
    present([name, targets.get(name) ?? null]).join(' → '),
  );
};

/** Returns a line for each target and kind of traffic; no lines if each population has its own target. */
export const targetLines = (result: Result): readonly string[] =>
  labelValues(result, 'target').length < labelValues(result, 'population').length
    ? partLines(result, 'target')
    : [];

/**
 * Builds the tables by target, population, stage, entry, model and key. On a page, only the tables by target and
 * population are visible at first, and all others are in a fold. A terminal shows the tables by entry, and by
 * population or, without populations, by stage.
 */
export const breakdownBlocks = (result: Result): readonly Block[] => {
  const tables = dividingLabels(result).map((label) => ({
    label,
    block: breakdownTable(result, label),
  }));
  const ofLoads = result.plan.populations === undefined ? 'stage' : 'population';
  const isOpen = (label: BreakdownLabel): boolean => label === 'target' || label === 'population';
  const open = tables.filter(({ label }) => isOpen(label));
  const folded = tables.filter(({ label }) => !isOpen(label));
  const title = `Breakdown by ${listed(folded.map(({ label }) => label))}`;
  return [
    ...open.map(({ block }) => only(['html'], block)),
    only(
      ['html'],
      fold(
        title,
        folded.map(({ block }) => block),
      ),
    ),
    ...tables
      .filter(({ label }) => label === ofLoads || label === 'entry')
      .map(({ label, block }) =>
        only(['terminal'], section(`Breakdown by ${label}, after the warm-up`, [block])),
      ),
  ];
};

const connectionsSentence = (total: (of: (group: Group) => number) => number): string => {
  const [opened, reused] = [total((g) => g.connections.new), total((g) => g.connections.reused)];
  const ahead = total((g) => g.connections.ahead ?? 0);
  const early =
    ahead > 0 && `${countText(ahead)} opened ahead of their requests, which did not wait for them`;
  const reconnected = total((g) => g.reconnected ?? 0);
  const again =
    reconnected > 0 &&
    ` Reconnected: ${plural(reconnected, 'request')} met a connection that the server had closed and went once more on a new one, which is part of the latency.`;
  return `Connections: ${present([`${countText(opened)} new`, early, `${countText(reused)} reused`]).join(', ')}.${again || ''}`;
};

const kindNotes = (result: Result, { kind }: KindFigures): string => {
  const groups = groupsMatching(result, measuredOf(kind));
  const total = (of: (group: Group) => number): number => sumOf(groups, of);
  const [buffered, coalesced] = [total((g) => g.buffered), total((g) => g.coalescedEvents)];
  const tokenEvents = total((g) => g.tokenEvents);
  const sources = new Set(groups.flatMap(({ tokens }) => tokens.map(({ source }) => source)));
  return present([
    sources.size === 1 && sources.has('usage') && `Tokens ${tokenSourceMeaning.usage}.`,
    ...tokenNotes(result, kind),
    buffered > 0 &&
      `${plural(buffered, 'stream')} arrived in one burst and are left out of chunk gap, stall, TPOT and output speed.`,
    coalesced > 0 &&
      `${shareText(coalesced, tokenEvents)} of token events shared a read with an earlier one.`,
    kind === 'transcription' && wordErrorSentence(result),
    connectionsSentence(total),
  ]).join(' ');
};

/** Builds one table with all kinds, for media that have no room for a section for each kind. */
const combinedTable = (result: Result, kinds: readonly KindFigures[]): readonly Block[] => {
  const lag = lagFigures(result);
  const groups = [
    ...kinds.map(({ kind, headline }) => ({ kind, rows: headline })),
    { kind: 'generator', rows: present([lag]) },
  ];
  const notes = kinds.flatMap(({ kind }) =>
    tokenNotes(result, kind).map((note) => `${kind}: ${note}`),
  );
  return [
    figuresTable(
      'Completed requests',
      groups.flatMap(({ rows }) => rows),
      (figures) => groups.find(({ rows }) => rows.includes(figures))?.kind ?? '',
    ),
    list([...notes, wordErrorSentence(result)]),
  ].map((block) => only(['terminal', 'markdown'], block));
};

const kindSection = (result: Result, figures: KindFigures): Section => {
  const { kind, headline, otherMeasures } = figures;
  const requests =
    result.plan.warmUp === 0 ? 'Completed requests' : 'Completed requests due after the warm-up';
  const further = figuresTable('Further measures of the same requests', otherMeasures);
  const blocks = [
    figuresTable(requests, headline),
    fold(plural(otherMeasures.length, 'further measure'), [further]),
    text(kindNotes(result, figures), 'quiet'),
  ];
  return only(['html'], section(kind, headline.length === 0 ? [] : blocks));
};

const legend = (kinds: readonly KindFigures[]): string => {
  const shown = kinds.flatMap(({ headline, otherMeasures }) => [...headline, ...otherMeasures]);
  const hasErrors = shown.some(({ quantiles }) =>
    quantiles.some(({ error }) => markedErrorText(error) !== undefined),
  );
  const hasIntervals = shown.some(({ quantiles }) =>
    quantiles.some(({ low, high }) => low !== null || high !== null),
  );
  const hasFailures = shown.some(({ quantiles }) =>
    quantiles.some(({ ofShare }) => ofShare !== undefined),
  );
  return present([
    hasIntervals
      ? '[low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it. It allows for requests that depend on each other, unless their dependence lasts longer than the run.'
      : 'The run is too short for confidence intervals: they need ten whole seconds after the warm-up.',
    hasErrors &&
      '−, + or ± is its measurement error: by how much the load generator can have made it too high, too low, or either.',
    '~ marks a percentile with fewer than ten independent samples beyond it.',
    hasFailures &&
      '* marks one that would be higher, or infinite, if failures counted as infinitely slow; the share of arrivals that completed is below n.',
  ]).join(' ');
};

/** Builds the section on the speed of each kind of traffic: percentiles with sample counts, intervals and errors. */
export const speedSection = (result: Result, trust: Trust, charts: readonly Block[]): Section => {
  const lag = lagFigures(result);
  const kinds = kindsPresent(result).map((kind) => kindFigures(result, trust, kind));
  const hasFigures = lag !== null || kinds.some(({ headline }) => headline.length > 0);
  const meaning = hasFigures ? [text(legend(kinds), 'quiet')] : [];
  const ofKinds = kinds.map((figures) => kindSection(result, figures));
  const all = fold('All figures, with intervals and errors', [...ofKinds, ...meaning]);
  const blocks = [
    ...combinedTable(result, kinds),
    ...meaning.map((block) => only(['terminal', 'markdown'], block)),
    ...charts,
    only(['html'], all),
    ...breakdownBlocks(result),
  ];
  return section('How fast?', blocks, 'speed');
};

export const rateSection = (result: Result, charts: readonly Block[]): Section => {
  const sentences = rateSentences(result).map((sentence) => text(sentence));
  return section('How much?', [...sentences, ...charts], 'rates');
};

/** Builds the table of the load generator's lag; `null` if the run has no lag samples. */
export const lagTable = (result: Result): Block | null => {
  const lag = lagFigures(result);
  return lag === null ? null : only(['html'], figuresTable('Lag of the load generator', [lag]));
};
