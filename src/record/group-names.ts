import type { Labels } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';

/** A group's labels, and a text that is unique to them. */
interface GroupName {
  readonly labels: Labels;
  readonly key: string;
}

export const groupKeyOf = ({ traffic, model, entry, key, stage, warmUp }: Labels): string =>
  JSON.stringify([stage, traffic, model, entry, key, warmUp]);

/** Searching this many names takes as long as making a new one. */
const maxRemembered = 16;

/** Names the group of each observation of a plan. Recent names are remembered, since most observations repeat one. */
export const groupNames = (plan: Plan): ((observation: Observation) => GroupName) => {
  const known: (GroupName & { readonly stage: number })[] = [];
  return ({ traffic, model, entry, key, stage, due }) => {
    const warmUp = due < plan.warmUp;
    const found = known.find(
      ({ labels, stage: place }) =>
        place === stage &&
        labels.traffic === traffic &&
        labels.model === model &&
        labels.entry === entry &&
        labels.key === key &&
        labels.warmUp === warmUp,
    );
    if (found !== undefined) return found;
    const name = plan.stages[stage]?.name ?? `stage ${stage}`;
    const labels = {
      traffic,
      model,
      ...(entry === undefined ? {} : { entry }),
      key,
      stage: name,
      warmUp,
    };
    const made = { labels, key: groupKeyOf(labels), stage };
    if (known.length === maxRemembered) known.shift();
    known.push(made);
    return made;
  };
};
