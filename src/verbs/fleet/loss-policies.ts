/** The possible effects of a lost slice on the other slices. */
export const lossPolicies = ['stop', 'degrade'] as const;
export type LossPolicy = (typeof lossPolicies)[number];
