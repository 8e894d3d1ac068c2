// Vitest runs this file before each file of tests, and the modules below only once in each worker.
// oxlint-disable import/no-unassigned-import -- these modules only set up the worker
import './seed.ts';
import './quick-imports.ts';
