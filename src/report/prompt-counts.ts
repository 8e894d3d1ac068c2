import type { PromptSourceOf } from '../model/prompt-source.ts';
import type { Group, Result } from '../model/result.ts';
import { groupsWhere, measured } from '../model/summary.ts';
import type { TrafficKind } from '../model/traffic.ts';
import { countText, figureText } from './number-text.ts';

/**
 * What a server counted of made-up prompts, against what was asked for: means over the completed
 * answers that told their input, of prompts that nothing else stands beside.
 */
interface PromptCount {
  readonly model: string;
  readonly asked: number;
  readonly isFixed: boolean;
  readonly counted: number;
  readonly calibration: number;
}

/** The one source of a group's prompts, where all entries that fall into the group have the same. */
const onlySource = (
  { plan }: Result,
  { traffic, model, entry, stage }: Group['labels'],
): PromptSourceOf<'synthetic'> | null => {
  const entries = (plan.stages.find(({ name }) => name === stage)?.traffic ?? []).filter(
    (each) =>
      each.kind === traffic && 'model' in each && each.model === model && each.name === entry,
  );
  const [only] = entries;
  if (entries.length !== 1 || only === undefined || !('conversations' in only)) return null;
  const { conversations: source } = only;
  return Array.isArray(source) || source.kind !== 'synthetic' ? null : source;
};

/** One for each model, length or distribution, and calibration that some answer told the count of. */
const promptCounts = (result: Result, kind: TrafficKind): readonly PromptCount[] => {
  const groups = groupsWhere(result, (labels) => measured(labels) && labels.traffic === kind);
  const told = groups.flatMap(({ labels: { model, ...labels }, tokens }) => {
    const source = onlySource(result, { model, ...labels });
    const made = tokens.flatMap((sums) => sums.made ?? []);
    if (source === null || model === null || made.length === 0) return [];
    const { tokens: length, calibration = 1 } = source;
    return [{ model, length, calibration, made }];
  });
  const alike = Map.groupBy(told, ({ model, length, calibration }) =>
    JSON.stringify([model, length, calibration]),
  );
  return [...alike.values()].map((each) => {
    const { model, length, calibration } = each[0]!;
    const sum = { answers: 0, asked: 0, input: 0 };
    for (const made of each.flatMap((group) => group.made)) {
      sum.answers += made.answers;
      sum.asked += made.asked;
      sum.input += made.input;
    }
    const { answers, asked, input } = sum;
    const isFixed = typeof length === 'number';
    return { model, asked: asked / answers, isFixed, counted: input / answers, calibration };
  });
};

/** Smaller differences are those of rounding a calibrated length. */
const negligible = 0.001;

const differenceText = (share: number): string =>
  `${share < 0 ? '−' : '+'}${figureText(Math.abs(share) * 100)} %`;

/** For each model what was asked for, what the server counted, and how the next run can make up for it. */
export const promptCountNotes = (result: Result, kind: TrafficKind): readonly string[] =>
  promptCounts(result, kind).map(({ model, asked, isFixed, counted, calibration }) => {
    const share = counted / asked - 1;
    const mean = isFixed ? '' : ' on average';
    const figures = `${model}: asked ${isFixed ? countText(asked) : figureText(asked)} input tokens${mean}, server counted ${figureText(counted)}`;
    const isOff = Math.abs(share) > negligible && Math.abs(counted - asked) >= 0.5;
    if (!isOff) return `${figures}.`;
    const next = Number(((calibration * counted) / asked).toPrecision(4));
    const remedy = `\`calibration: ${next}\` in the prompt makes up for it`;
    return `${figures} (${differenceText(share)}; ${remedy}).`;
  });
