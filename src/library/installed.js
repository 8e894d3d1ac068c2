// What `import 'weir-bench'` gets from an installation from git, which has no build until it is first used. The
// package that is published names its build itself. A test holds the names against those of the library.
import { loadCompiled } from '../platform/compiled-source.js';

export const { check, coordinate, defineScenario, judge, readResult, run, WeirError, work } =
  /** @type {typeof import('./library.ts')} */ (loadCompiled('library/library'));
