/** What can happen to the other slices if one slice is lost. */
export const lossPolicies = ['stop', 'degrade'] as const;
export type LossPolicy = (typeof lossPolicies)[number];
