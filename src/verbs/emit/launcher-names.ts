/** The launchers that can start the workers of a run. They are apart from their manifests, since help lists them. */
export const launcherNames = ['k8s', 'slurm', 'swarm'] as const;
export type LauncherName = (typeof launcherNames)[number];
