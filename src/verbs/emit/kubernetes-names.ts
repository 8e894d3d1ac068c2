import type { Launch } from './launch.ts';

/** The labels by which the parts of a launch find each other. */
export const partLabels = (launch: Launch, part: string) => ({
  'app.kubernetes.io/name': 'weir',
  'app.kubernetes.io/instance': launch.name,
  'app.kubernetes.io/component': part,
});

export const metadata = (launch: Launch, part: string) => ({
  name: `${launch.name}-${part}`,
  labels: partLabels(launch, part),
});
