import {
  type CheckOutcome,
  type CheckReport,
  type CheckRow,
  countOutcomes,
  isAudit,
  verdictOfChecks,
} from '../model/check-report.ts';
import {
  column,
  type Column,
  fold,
  list,
  only,
  type ReportDocument,
  section,
  table,
  text,
  type Tone,
  tones,
} from '../../../report/document/document.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import { monthSection } from './month-section.ts';

const outcomeTones = {
  violation: 'bad',
  deviation: 'warning',
  exempt: 'quiet',
  unchecked: 'quiet',
  open: 'plain',
  pass: 'good',
} as const satisfies Record<CheckOutcome, Tone>;

const titles: Readonly<Record<CheckOutcome, string>> = {
  violation: 'Violations',
  deviation: 'Deviations',
  exempt: 'Known of this profile',
  unchecked: 'Not checked',
  open: 'Not specified',
  pass: 'As specified',
};

const captions: Readonly<Record<CheckOutcome, string>> = {
  violation: 'What breaks the specification',
  deviation: 'What deviates in a way known from other gateways, which clients can cope with',
  exempt: 'What is not as specified, but known of the servers of this profile',
  unchecked: 'What could not be checked, and why',
  open: 'What the specification leaves open, as it was seen',
  pass: 'What is as specified',
};

const sectionsNote = '§: a section of the interface, see scenarios/interface.md.';

/** Names a section of the interface. An empty text stands for rows that the interface does not mention. */
const placeText = (place: string): string => (place === '' ? 'no section' : `§ ${place}`);

const outcomes = Object.keys(titles) as readonly CheckOutcome[];

/** Returns what was observed. The name of a known deviation is added. */
const observedText = ({ name, observed }: CheckRow): string =>
  name === null ? observed : `${name}: ${observed}`;

const columns: readonly Column<CheckRow>[] = [
  column.verdict('Result', ({ outcome }) => ({ text: outcome, tone: outcomeTones[outcome] })),
  column.name('Check', ({ id }) => id),
  column.text('Section', ({ section: place }) => placeText(place)),
  column.words({ title: 'Specification', media: ['html', 'markdown'] }, ({ sentence }) => sentence),
  column.words('Expected', ({ expected }) => expected),
  column.words({ title: 'Seen', media: ['terminal'] }, (row) =>
    [observedText(row), ...row.evidence].join('; '),
  ),
  column.words({ title: 'Seen', media: ['html', 'markdown'] }, (row) => ({
    text: observedText(row),
    details:
      row.evidence.length === 0
        ? undefined
        : { title: plural(row.evidence.length, 'excerpt'), lines: row.evidence },
  })),
];

const unseenColumns: readonly Column<CheckReport['unseen'][number]>[] = [
  column.text('Section', ({ section: place }) => placeText(place)),
  column.words('Sentence', ({ sentence }) => sentence),
  column.words('Why', ({ reason }) => reason),
];

const unseenTable = (report: CheckReport) =>
  fold('Sentences of the specification without a check', [
    table(
      'Sentences of the specification that cannot be seen from outside',
      unseenColumns,
      report.unseen,
    ),
  ]);

const rowsSection = (report: CheckReport, outcome: CheckOutcome) => {
  const rows = report.rows.filter((row) => row.outcome === outcome);
  if (rows.length === 0) return null;
  const found = table(captions[outcome], columns, rows);
  const isFinding = outcome === 'violation' || outcome === 'deviation';
  const title = `${titles[outcome]} (${rows.length})`;
  // An audit has few rows, and each row states a fact. So the rows are not folded away.
  const isOpen = isAudit(report.rows);
  return section(title, [isFinding ? found : fold(captions[outcome], [found], isOpen)]);
};

const verdicts = {
  kept: ['The interface is kept', 'good'],
  broken: ['The interface is broken', 'bad'],
  undecided: ['Undecided', 'warning'],
} as const satisfies Record<ReturnType<typeof verdictOfChecks>, readonly [string, Tone]>;

type VerdictWords = Readonly<Record<keyof typeof verdicts, string>>;

const auditWords: VerdictWords = {
  kept: 'Nothing speaks against the reported usage',
  broken: 'The reported usage is wrong',
  undecided: 'Undecided',
};

/** The verdict words for hang-ups. Nothing that a gateway does after a hang-up breaks the interface. */
const hangUpWords: VerdictWords = {
  kept: 'Hang-ups were examined',
  broken: 'Hang-ups were examined',
  undecided: 'Undecided',
};

/** Formats the counts as `3 violations, 2 deviations, 150 as specified`. */
const countsText = ({ rows }: CheckReport): string => {
  const counts = countOutcomes(rows);
  const words: readonly (readonly [CheckOutcome, string])[] = [
    ['violation', plural(counts.violation, 'violation')],
    ['deviation', plural(counts.deviation, 'deviation')],
    ['exempt', `${counts.exempt} known of this profile`],
    ['pass', `${counts.pass} as specified`],
    ['open', `${counts.open} not specified`],
    ['unchecked', `${counts.unchecked} not checked`],
  ];
  return words
    .filter(([outcome]) => counts[outcome] > 0)
    .map(([, word]) => word)
    .join(', ');
};

export const checkVerdict = (report: CheckReport) => {
  const verdict = verdictOfChecks(report);
  const { deviation } = countOutcomes(report.rows);
  const [usualWords, usualTone] = verdicts[verdict];
  const isOfHangUps = report.rows.some(({ topic }) => topic === 'disconnects');
  const usageWord =
    verdict === 'kept' && deviation > 0
      ? 'No count is proved wrong, but something deviates'
      : auditWords[verdict];
  const auditWord = isOfHangUps ? hangUpWords[verdict] : usageWord;
  const words = isAudit(report.rows) ? auditWord : usualWords;
  const tone: Tone = verdict === 'kept' && deviation > 0 ? 'warning' : usualTone;
  const stopped = report.stopped === null ? '' : ` Ended early: ${report.stopped}.`;
  return { text: `${words}: ${countsText(report)}.${stopped}`, tone };
};

const spentText = ({ spent, took }: CheckReport): string =>
  present([
    `${plural(spent.requests, 'request')} in ${timeText(took)}`,
    `${countText(spent.inputTokens)} input and ${countText(spent.outputTokens)} output tokens`,
    spent.characters > 0 && `${countText(spent.characters)} characters of speech`,
    spent.audioSeconds > 0 && `${countText(spent.audioSeconds)} s of audio`,
    spent.waits > 0 && `${plural(spent.waits, 'wait')} for the limits of the key`,
  ]).join(', ');

const modelsText = ({ models: { chat, speech, transcription } }: CheckReport): string =>
  [
    `chat ${chat ?? 'none'}`,
    `speech ${speech ?? 'none'}`,
    `transcription ${transcription ?? 'none'}`,
  ].join(', ');

const descriptionOf = (report: CheckReport): readonly string[] => [
  `Models: ${modelsText(report)}; profile ${report.profile}`,
  spentText(report),
];

/**
 * Returns the complete report: first the checks, the most serious results first, and then the rows of the specification
 * that no request can show.
 */
export const checkDocument = (report: CheckReport): ReportDocument => ({
  weir: report.weir,
  title: `Interface of ${report.target}`,
  description: descriptionOf(report),
  verdict: checkVerdict(report),
  blocks: present([
    monthSection(report),
    ...outcomes.map((outcome) => rowsSection(report, outcome)),
    report.unseen.length > 0 &&
      section('What no request can show', [
        only(
          ['terminal'],
          list(
            report.unseen.map(
              ({ section: place, sentence, reason }) => `§ ${place}: ${sentence} Why: ${reason}.`,
            ),
          ),
        ),
        only(['html', 'markdown'], unseenTable(report)),
      ]),
    only(
      ['terminal'],
      text('✓ as specified · ✗ breaks the specification (exit 10) · ! known deviation', 'quiet'),
    ),
    text(sectionsNote, 'quiet'),
  ]),
  footer: `Checked by Weir ${report.weir}, started ${report.startedAt}.`,
});

/**
 * The maximum number of findings that a terminal shows. The findings, the verdict and the names of the files together
 * fit on 30 lines.
 */

const maxFindings = 6;
const maxReasons = 3;
/** The maximum length of a finding in characters: two lines of a hundred columns. */
const maxLength = 190;
const maxNames = 8;

const cut = (line: string): string =>
  line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).replace(/\s\S*$/, '')} …`;

const namesOf = (rows: readonly CheckRow[]): string => {
  const names = rows.slice(0, maxNames).map(({ id }) => id);
  const more = rows.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Several checks that show the same mistake, reported as one finding. */
interface Finding {
  readonly tone: Tone;
  readonly rows: readonly CheckRow[];
}

const gravest = ['violation', 'deviation'] as const satisfies readonly CheckOutcome[];

const findingsOf = ({ rows }: CheckReport): readonly Finding[] =>
  gravest.flatMap((outcome) => {
    const found = rows.filter((row) => row.outcome === outcome);
    return [...Map.groupBy(found, observedText).values()]
      .toSorted((a, b) => b.length - a.length)
      .map((alike) => ({ tone: outcomeTones[outcome], rows: alike }));
  });

/** Formats a finding as `chat (§ 4.1): status 500; expected: 200 for …`, or `2 checks: status 500 (chat, minimal)`. */
const findingText = ({ tone, rows }: Finding): string => {
  const [first] = rows;
  if (first === undefined) return '';
  const where =
    rows.length === 1
      ? `${first.id} (${placeText(first.section)}): ${observedText(first)}; expected: ${first.expected}`
      : `${rows.length} checks: ${observedText(first)} (${namesOf(rows)})`;
  return cut(`${tones[tone].glyph} ${where}`);
};

/**
 * Formats the checks that were not made as `Not checked: 42 checks (no model for speech is known), 9 checks for other
 * reasons.`
 */
const uncheckedText = ({ rows }: CheckReport): string | null => {
  const unchecked = rows.filter(({ outcome }) => outcome === 'unchecked');
  const byReason = [...Map.groupBy(unchecked, ({ observed }) => observed)]
    .map(([reason, those]) => ({ reason, count: those.length }))
    .toSorted((a, b) => b.count - a.count);
  if (byReason.length === 0) return null;
  const named = byReason.slice(0, maxReasons);
  const others = unchecked.length - named.reduce((sum, { count }) => sum + count, 0);
  return cut(
    `Not checked: ${[
      ...named.map(({ reason, count }) => `${plural(count, 'check')} (${reason})`),
      ...(others > 0 ? [`${plural(others, 'check')} for other reasons`] : []),
    ].join(', ')}.`,
  );
};

export const checkOverview = (report: CheckReport): ReportDocument => {
  const findings = findingsOf(report);
  const hidden = findings.slice(maxFindings).flatMap(({ rows }) => rows);
  return {
    ...checkDocument(report),
    verdict: null,
    description: [],
    blocks: present([
      list(
        findings
          .slice(0, maxFindings)
          .map((each) => ({ text: findingText(each), tone: each.tone })),
      ),
      hidden.length > 0 &&
        list([cut(`${plural(hidden.length, 'more check')} (--details): ${namesOf(hidden)}`)]),
      monthSection(report),
      list(
        [
          findings.length > 0 ? sectionsNote : null,
          uncheckedText(report),
          ...descriptionOf(report),
        ],
        'quiet',
      ),
    ]),
  };
};
