/**
 * The launchers that can start the workers of a run. The list is not in the file that makes the manifests, since the
 * help shows it.
 */
export const launcherNames = ['k8s', 'slurm', 'swarm'] as const;
export type LauncherName = (typeof launcherNames)[number];
