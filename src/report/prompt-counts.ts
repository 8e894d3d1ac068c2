import type { PromptSourceOf } from '../model/prompt-source.ts';
import type { Group, Result } from '../model/result.ts';
import { groupsWhere, measured } from '../model/summary.ts';
import type { TrafficKind } from '../model/traffic.ts';
import { countText, figureText } from './number-text.ts';

/**
 * What a server counted of made-up prompts, against what was asked for. Only prompts of one fixed
 * length and nothing else are compared: the mean of their answers is then that of every prompt.
 */
interface PromptCount {
  readonly model: string;
  readonly asked: number;
  /** The mean of the server's counts. */
  readonly counted: number;
  readonly calibration: number;
}

type Fixed = PromptSourceOf<'synthetic'> & { readonly tokens: number };

/** The one source of a group's prompts, where all entries that fall into the group have the same. */
const fixedSource = (
  { plan }: Result,
  { traffic, model, entry, stage }: Group['labels'],
): Fixed | null => {
  const entries = (plan.stages.find(({ name }) => name === stage)?.traffic ?? []).filter(
    (each) =>
      each.kind === traffic && 'model' in each && each.model === model && each.name === entry,
  );
  const [only] = entries;
  if (entries.length !== 1 || only === undefined || !('conversations' in only)) return null;
  const { conversations: source } = only;
  if (Array.isArray(source) || source.kind !== 'synthetic') return null;
  const { tokens, turns, system } = source;
  return typeof tokens === 'number' && turns === null && system === null
    ? { ...source, tokens }
    : null;
};

/** One for each model, length and calibration that some answer told the count of. */
const promptCounts = (result: Result, kind: TrafficKind): readonly PromptCount[] => {
  const groups = groupsWhere(result, (labels) => measured(labels) && labels.traffic === kind);
  const told = groups.flatMap(({ labels, tokens }) => {
    const source = fixedSource(result, labels);
    const answers = tokens.reduce((sum, { answersWithInput }) => sum + answersWithInput, 0);
    if (source === null || labels.model === null || answers === 0) return [];
    const input = tokens.reduce((sum, each) => sum + each.input, 0);
    const { tokens: asked, calibration = 1 } = source;
    return [{ model: labels.model, asked, calibration, answers, input }];
  });
  const alike = Map.groupBy(told, ({ model, asked, calibration }) =>
    JSON.stringify([model, asked, calibration]),
  );
  return [...alike.values()].map((each) => {
    const { model, asked, calibration } = each[0]!;
    const input = each.reduce((sum, { input: part }) => sum + part, 0);
    const answers = each.reduce((sum, { answers: part }) => sum + part, 0);
    return { model, asked, calibration, counted: input / answers };
  });
};

/** Smaller differences are those of rounding a calibrated length. */
const negligible = 0.001;

const differenceText = (share: number): string =>
  `${share < 0 ? '−' : '+'}${figureText(Math.abs(share) * 100)} %`;

/** For each model what was asked for, what the server counted, and how the next run can make up for it. */
export const promptCountNotes = (result: Result, kind: TrafficKind): readonly string[] =>
  promptCounts(result, kind).map(({ model, asked, counted, calibration }) => {
    const share = counted / asked - 1;
    const figures = `${model}: asked ${countText(asked)} input tokens, server counted ${figureText(counted)}`;
    const isOff = Math.abs(share) > negligible && Math.abs(counted - asked) >= 0.5;
    if (!isOff) return `${figures}.`;
    const next = Number(((calibration * counted) / asked).toPrecision(4));
    const remedy = `\`calibration: ${next}\` in the prompt makes up for it`;
    return `${figures} (${differenceText(share)}; ${remedy}).`;
  });
