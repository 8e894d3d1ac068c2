import {
  column,
  type Fact,
  facts,
  fold,
  list,
  type ReportDocument,
  section,
  table,
  type TonedText,
} from '../../../report/document/document.ts';
import {
  countText,
  figureText,
  moneyText,
  plural,
  timeText,
} from '../../../report/text/number-text.ts';
import type { FairnessReport, Interval, JudgedBlock, ShareRow } from '../model/fairness-report.ts';

const signed = (share: number): string => {
  const percent = 100 * share;
  const text = Math.abs(percent) < 10 ? percent.toFixed(1) : percent.toFixed(0);
  return `${Number(text) < 0 ? '−' : '+'}${text.replace('-', '')}`;
};

/** Writes a rise with its interval: `+3.0 % (−1.0 to +8.0)`. */
const riseText = ({ value, low, high }: Interval, unit = ' %'): string =>
  `${signed(value)}${unit} (${signed(low)} to ${high === null ? 'any' : signed(high)})`;

const noiseText = ({ noisy, noiseBy: { alone, noisy: loud } }: FairnessReport): string =>
  alone === 0
    ? `while ${noisy} sent ${figureText(loud)} requests a second`
    : `while ${noisy} sent ${figureText(loud / alone)} times as many requests`;

const words = {
  isolated: { text: 'isolated', tone: 'good' },
  moved: { text: 'not isolated', tone: 'bad' },
  unknown: { text: 'cannot tell', tone: 'warning' },
} as const;

/** Returns the verdict as a sentence: `B's TTFT p95 moved by +3.0 % (−1.0 to +8.0) while A sent …: isolated`. */
const fairnessVerdict = (report: FairnessReport): TonedText => {
  const { quiet, figure, moved, failed, verdict } = report;
  const { text, tone } = words[verdict];
  if (moved === null) return { text: `Whether ${quiet} is isolated: ${text}`, tone };
  const fails =
    failed !== null && failed.low > 0 ? `, its failures by ${riseText(failed, ' points')}` : '';
  return {
    text: `${quiet}’s ${figure} moved by ${riseText(moved)}${fails} ${noiseText(report)}: ${text}`,
    tone,
  };
};

const blockColumns = [
  column.name<JudgedBlock>('Measured from', ({ from }) => timeText(from)),
  column.text<JudgedBlock>('Noise', ({ isNoisy }) => (isNoisy ? 'with' : 'without')),
  column.number<JudgedBlock>('Noise a second', ({ noise }) => figureText(noise)),
  column.number<JudgedBlock>('Requests', ({ arrivals }) => countText(arrivals)),
  column.number<JudgedBlock>('Figure', ({ value }) => (value === null ? '–' : timeText(value))),
  column.number<JudgedBlock>('Failed', ({ failed }) => countText(failed)),
];

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const shareColumns = [
  column.name<ShareRow>('Who', ({ name }) => name),
  column.number<ShareRow>('Asked a second', ({ asked }) =>
    asked === null ? 'any' : figureText(asked),
  ),
  column.number<ShareRow>('Got a second', ({ got }) => figureText(got)),
  column.number<ShareRow>('Share of all', ({ share }) => percent(share)),
  column.number<ShareRow>('Max–min share', ({ fair }) => figureText(fair)),
  column.number<ShareRow>('Kept of it', ({ kept }) => (kept === null ? '–' : percent(kept.value))),
  column.number<ShareRow>('95 % interval', ({ kept }) =>
    kept === null ? '–' : `${percent(kept.low)} to ${percent(kept.high ?? 0)}`,
  ),
];

/** Says whose requests caused the quiet population's 429s, and gives the counts that prove the cause. */
const refusalText = ({ quiet, noisy, refusals }: FairnessReport): string => {
  const { cause, noisy: loud, ofNoisy, alone, ofAlone, explained, limits } = refusals;
  const counts = `${countText(loud)} among ${plural(ofNoisy, 'request')} with the noise and just after it, ${countText(alone)} among ${countText(ofAlone)} without`;
  const limit = limits.join(' and ');
  const texts = {
    none: 'none',
    own: `${counts}; ${countText(explained)} of them came when ${quiet} itself may have used up its limit of ${limit}`,
    noise: `${counts}: they come from ${noisy}’s use, since at none of them ${quiet} itself can have used up its limit of ${limit}`,
    shared: `${counts}; both populations have the same key, and so its limits`,
    undeclared: `${counts}: only with the noise. The scenario declares no limit, so whether ${quiet} used up its own is not known: give "limits"`,
    alone: `${counts}: the noise alone does not explain them, nor does ${quiet}’s own use`,
    unknown: `${counts}; more requests were sent than are kept for a proof`,
  } as const;
  return texts[cause];
};

const backText = ({ back, noisy }: FairnessReport): string => {
  if (back === null) return 'not seen: too few requests after the ends of the noise';
  const { wasAway, after, resolution, seen, ends } = back;
  const basis = `seen after ${plural(ends, 'end')} of the noise, by ${timeText(resolution)}`;
  if (after === null) return `not within ${timeText(seen)} after ${noisy}’s noise; ${basis}`;
  if (after > 0) return `${timeText(after)} after ${noisy}’s noise; ${basis}`;
  return wasAway
    ? `less than ${timeText(resolution)} after ${noisy}’s noise; ${basis}`
    : 'it was never away';
};

const spentText = ({ spent, took }: FairnessReport): string => {
  const cost = spent.cost === null ? '' : `, ${moneyText(spent.cost)} of your currency`;
  return `${plural(spent.requests, 'request')}, ${plural(spent.tokens, 'token')} of completed ones${cost}, in ${timeText(took)}`;
};

export const fairnessDocument = (report: FairnessReport): ReportDocument => {
  const { weir, name, target, startedAt, figure, quiet, noisy, blocks, settle, seed } = report;
  const measured = blocks[0] === undefined ? 0 : blocks[0].to - blocks[0].from;
  const found: readonly Fact[] = [
    [`${figure} of ${quiet}`, report.moved === null ? 'not known' : riseText(report.moved)],
    ['Allowed', `at most ${signed(report.maxMoved)} %`],
    ['Failures', report.failed === null ? 'not known' : riseText(report.failed, ' points')],
    [`429s of ${quiet}`, refusalText(report)],
    [`${quiet} is back`, backText(report)],
    ['Spent', spentText(report)],
  ];
  return {
    weir,
    title: `${quiet} beside ${noisy} on ${target}`,
    description: [`Scenario: ${name}`],
    verdict: fairnessVerdict(report),
    blocks: [
      section('Does the noise move it?', [
        facts(found),
        list([
          report.partial !== null && `It ended early: ${report.partial}.`,
          ...report.reasons.map((reason) => ({
            text: `Cannot tell: ${reason}.`,
            tone: 'warning' as const,
          })),
        ]),
      ]),
      ...(report.shares.length === 0
        ? []
        : [
            section('Who gets how much with the noise?', [
              table('Completed, by who asked', shareColumns, report.shares, {
                groupOf: ({ unit }) => unit,
              }),
              list([
                !report.isContended && 'All got what they asked for, so nothing had to be shared.',
              ]),
            ]),
          ]),
      fold('Blocks', [
        table('Blocks in their order', blockColumns, blocks),
        list([
          `Each block measured ${timeText(measured)}, after ${timeText(settle)} that do not count. The order within each pair is random (seed ${seed}).`,
        ]),
      ]),
    ],
    footer: `Examined by Weir ${weir}, started ${startedAt}.`,
  };
};
