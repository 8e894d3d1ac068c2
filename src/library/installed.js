// The module that `import 'weir-bench'` loads in an installation from git. Such an installation has no build until the
// package is first used. The published package names its build itself. A test compares these names with the names of
// the library.
import { loadCompiled } from '../platform/compiled-source.js';

export const { check, coordinate, defineScenario, judge, readResult, run, WeirError, work } =
  /** @type {typeof import('./library.ts')} */ (loadCompiled('library/library'));
