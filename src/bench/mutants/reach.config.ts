import { resolve } from 'node:path';
import config from '../../../.ci/vitest.config.ts';

/** The unit tests, run by what writes which places of the source they run. */

const [unit] = config.test?.projects ?? [];
if (typeof unit !== 'object' || !('test' in unit)) throw new Error('there are no unit tests');
const runner = resolve(import.meta.dirname, 'reach-runner.ts');

// oxlint-disable-next-line import/no-default-export -- vitest reads it so
export default {
  ...config,
  test: { ...config.test, projects: [{ ...unit, test: { ...unit.test, runner } }] },
};
