import type { Labels } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Plan } from '../model/plan/plan.ts';

/** What a group is called: by its labels, and by one text that no other labels have. */
interface GroupName {
  readonly labels: Labels;
  readonly key: string;
}

export const groupKeyOf = ({ traffic, model, entry, key, stage, warmUp }: Labels): string =>
  JSON.stringify([stage, traffic, model, entry, key, warmUp]);

/** So many names are looked through one by one; making one anew takes as long. */
const maxRemembered = 16;

/** Names the group of each observation of a plan. Most have the name of one just before, which is not made again. */
export const groupNames = (plan: Plan): ((observation: Observation) => GroupName) => {
  const known: (GroupName & { readonly stage: number })[] = [];
  return ({ traffic, model, entry, key, stage, due }) => {
    const warmUp = due < plan.warmUp;
    const before = known.find(
      ({ labels, stage: place }) =>
        place === stage &&
        labels.traffic === traffic &&
        labels.model === model &&
        labels.entry === entry &&
        labels.key === key &&
        labels.warmUp === warmUp,
    );
    if (before !== undefined) return before;
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
