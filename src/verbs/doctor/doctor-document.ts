import {
  column,
  type ReportDocument,
  section,
  table,
  type Tone,
  tones,
  type TonedText,
} from '../../report/document/document.ts';
import { plural } from '../../report/text/number-text.ts';
import type { Finding, FindingLevel } from './finding.ts';

/** What `weir doctor --json` prints. */
export interface Diagnosis {
  readonly format: 'doctor/1';
  readonly weir: string;
  readonly node: string;
  readonly platform: string;
  readonly findings: readonly Finding[];
}

const toneOf = {
  good: 'good',
  warning: 'warning',
  bad: 'bad',
  absent: 'plain',
} as const satisfies Record<FindingLevel, Tone>;

const titles = {
  target: 'Target',
  machine: 'Machine',
  packages: 'Optional packages',
} as const satisfies Record<Finding['about'], string>;

const columns = [
  column.name<Finding>(' ', ({ name }) => name.replaceAll('`', '')),
  column.text<Finding>('found', ({ found, level }) => ({
    text: `${tones[toneOf[level]].glyph || '–'} ${found}`,
    tone: toneOf[level],
  })),
  column.words<Finding>('', ({ advice }) => advice),
];

const about = (findings: readonly Finding[], subject: Finding['about']): readonly Finding[] =>
  findings.filter((each) => each.about === subject);

type Gravity = Exclude<FindingLevel, 'absent'>;

const worst = (findings: readonly Finding[]): Gravity =>
  (['bad', 'warning'] as const).find((level) => findings.some((each) => each.level === level)) ??
  'good';

const machineWords = {
  good: 'this machine can measure',
  warning: 'this machine can measure, with reservations',
  bad: 'this machine cannot measure',
} as const satisfies Record<Gravity, string>;

const targetWords = {
  good: 'the target answers',
  warning: 'the target may be used, with doubts',
  bad: 'the target cannot be used',
} as const satisfies Record<Gravity, string>;

const doctorVerdict = (findings: readonly Finding[]): TonedText => {
  const [machine, target] = [about(findings, 'machine'), about(findings, 'target')];
  const words = [
    ...(target.length === 0 ? [] : [targetWords[worst(target)]]),
    machineWords[worst(machine)],
  ].join('; ');
  const doubts = findings.filter(({ level }) => level === 'warning' || level === 'bad').length;
  const count = doubts === 0 ? '' : ` (${plural(doubts, 'finding')} below)`;
  const text = `${words.charAt(0).toUpperCase()}${words.slice(1)}${count}`;
  return { text, tone: toneOf[worst([...machine, ...target])] };
};

export const doctorDocument = ({ weir, node, platform, findings }: Diagnosis): ReportDocument => ({
  weir,
  title: 'Diagnosis',
  description: [`Weir ${weir}, Node ${node}, ${platform}`],
  verdict: doctorVerdict(findings),
  blocks: (['target', 'machine', 'packages'] as const)
    .map((subject) => ({ subject, rows: about(findings, subject) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ subject, rows }) => section(titles[subject], [table(titles[subject], columns, rows)])),
  footer: '',
});
