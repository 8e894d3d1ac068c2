/** How good a finding is. `absent` is a fact that only matters to those who want it. */
export type FindingLevel = 'good' | 'warning' | 'bad' | 'absent';

/** One fact about the machine, its packages or its target. */
export interface Finding {
  readonly about: 'machine' | 'packages' | 'target';
  readonly name: string;
  readonly level: FindingLevel;
  readonly found: string;
  /** What it means, or what to do. Empty if nothing is to be said. */
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
