/**
 * The launchers that can start the workers of a run. The help needs this list without loading the code that makes the
 * manifests.
 */
export const launcherNames = ['k8s', 'slurm', 'swarm'] as const;
export type LauncherName = (typeof launcherNames)[number];
