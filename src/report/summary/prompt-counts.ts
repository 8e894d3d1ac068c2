import type { Group } from '../../model/measures/counts.ts';
import type { PromptSourceOf } from '../../model/workload/prompt-source.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { countText, figureText } from '../text/number-text.ts';

/**
 * The server's token counts of synthetic prompts against the requested ones: means over the completed
 * answers that report their input, of prompts without other messages.
 */
interface PromptCount {
  readonly model: string;
  readonly asked: number;
  readonly isFixed: boolean;
  readonly counted: number;
  readonly calibration: number;
}

/** The source of a group's prompts, if all entries of the group have the same. */
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

/** One for each model, length or distribution, and calibration for which an answer reported the count. */
const promptCounts = (result: Result, kind: TrafficKind): readonly PromptCount[] => {
  const groups = groupsMatching(
    result,
    (labels) => outsideWarmUp(labels) && labels.traffic === kind,
  );
  const reported = groups.flatMap(({ labels: { model, ...labels }, tokens }) => {
    const source = onlySource(result, { model, ...labels });
    const syntheticCounts = tokens.flatMap((sums) => sums.made ?? []);
    if (source === null || model === null || syntheticCounts.length === 0) return [];
    const { tokens: length, calibration = 1 } = source;
    return [{ model, length, calibration, made: syntheticCounts }];
  });
  const alike = Map.groupBy(reported, ({ model, length, calibration }) =>
    JSON.stringify([model, length, calibration]),
  );
  return [...alike.values()].map((each) => {
    const { model, length, calibration } = each[0]!;
    const sum = { answers: 0, asked: 0, input: 0 };
    for (const syntheticCounts of each.flatMap((group) => group.made)) {
      sum.answers += syntheticCounts.answers;
      sum.asked += syntheticCounts.asked;
      sum.input += syntheticCounts.input;
    }
    const { answers, asked, input } = sum;
    const isFixed = typeof length === 'number';
    return { model, asked: asked / answers, isFixed, counted: input / answers, calibration };
  });
};

/** Smaller differences come from rounding a calibrated length. */
const negligibleDifference = 0.001;

const differenceText = (share: number): string =>
  `${share < 0 ? '−' : '+'}${figureText(Math.abs(share) * 100)} %`;

/** For each model the requested and the counted tokens, and the calibration that corrects the next run. */
export const promptCountNotes = (result: Result, kind: TrafficKind): readonly string[] =>
  promptCounts(result, kind).map(({ model, asked, isFixed, counted, calibration }) => {
    const share = counted / asked - 1;
    const mean = isFixed ? '' : ' on average';
    const figures = `${model}: requested ${isFixed ? countText(asked) : figureText(asked)} input tokens${mean}, the server counted ${figureText(counted)}`;
    const isOff = Math.abs(share) > negligibleDifference && Math.abs(counted - asked) >= 0.5;
    if (!isOff) return `${figures}.`;
    const next = Number(((calibration * counted) / asked).toPrecision(4));
    const calibrationAdvice = `\`calibration: ${next}\` in the prompt corrects it`;
    return `${figures} (${differenceText(share)}; ${calibrationAdvice}).`;
  });
