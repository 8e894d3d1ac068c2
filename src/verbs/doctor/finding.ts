/** The level of a finding. `absent` is a fact that matters only to some users. */
export type FindingLevel = 'good' | 'warning' | 'bad' | 'absent';

/** One fact about the machine, its packages or its target. */
export interface Finding {
  readonly about: 'machine' | 'packages' | 'target';
  readonly name: string;
  readonly level: FindingLevel;
  readonly found: string;
  /** What the finding means, or what to do; empty if there is nothing to say. */
  readonly advice: string;
}

export const finding =
  (about: Finding['about']) =>
  (name: string, level: FindingLevel, found: string, advice = ''): Finding => ({
    about,
    name,
    level,
    found,
    advice,
  });
