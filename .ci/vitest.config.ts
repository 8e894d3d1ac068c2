import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { chosenFiles, type TestClass, testFiles, workersOf } from './test-files.ts';

/** The classes of tests as projects, and a further one for what must have the machine for itself. */

const all = testFiles();
// A file that is named on the command line runs whenever it is asked for.
const isNamed = process.argv.some((word) => word.includes('.test.ts'));
const chosen = isNamed ? all : chosenFiles(all, process.env);

const beside = chosen.filter(({ isAlone }) => !isAlone);
const short = beside.filter(({ mark }) => mark === null || mark === 'gate');
const marked = beside.filter((file) => !short.includes(file));
const alone = chosen.filter(({ isAlone }) => isAlone).map(({ path }) => path);
const pathsOf = (testClass: TestClass, of = beside): string[] =>
  of.filter((file) => file.testClass === testClass).map(({ path }) => path);

const patience = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  setupFiles: [resolve(import.meta.dirname, 'seed.ts')],
};
const natively = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: [resolve(import.meta.dirname, 'unit-setup.ts')],
};

const project = (
  name: TestClass | 'unit-long' | 'alone',
  settings: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({ test: { name, ...patience, ...settings } });

// oxlint-disable-next-line import/no-default-export -- vitest reads it so
export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  test: {
    // Projects with different numbers of workers cannot run at the same time, so each has its place in an order.
    projects: [
      // Some wait for a clock or a socket, so that a worker for each core would leave one idle.
      project('unit', {
        include: pathsOf('unit', short),
        isolate: false,
        maxWorkers: workersOf.unit,
        // With less, the young objects of a test are moved again and again while they are in use.
        execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=32'],
        ...natively,
      }),
      // Each file in a separate worker: some tests watch how much memory they take.
      project('unit-long', {
        include: pathsOf('unit', marked),
        maxWorkers: workersOf.unit,
        ...natively,
      }),
      project('process', {
        include: pathsOf('process'),
        isolate: false,
        maxWorkers: workersOf.process,
      }),
      project('system', { include: pathsOf('system'), maxWorkers: workersOf.system }),
      // They wait for the software of others; within a file, too, tests which only wait run side by side.
      project('field', {
        include: pathsOf('field'),
        maxWorkers: workersOf.field,
        maxConcurrency: 16,
      }),
      project('alone', { include: alone, fileParallelism: false }),
    ].map((each, groupOrder) => ({ test: { ...each.test, sequence: { groupOrder } } })),
  },
});
