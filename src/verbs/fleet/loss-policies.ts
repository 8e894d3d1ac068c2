/** The ways to treat the other slices when one is lost. */
export const lossPolicies = ['stop', 'degrade'] as const;
export type LossPolicy = (typeof lossPolicies)[number];
