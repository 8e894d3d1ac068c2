import { chosenFiles, testFiles } from './test-files.ts';

/** Prints which long tests `.ci/run` has drawn, and which not. */

const files = testFiles();
const chosen = new Set(chosenFiles(files, process.env));
const { WEIR_TESTS: choice = 'short', WEIR_SAMPLE: date } = process.env;
const left = files.filter((file) => !chosen.has(file));
const drawn = files.filter((file) => chosen.has(file) && file.mark === 'long');
const list = (title: string, of: typeof files): void => {
  const seconds = of.reduce((sum, file) => sum + file.seconds, 0);
  console.log(`\n${title}: ${of.length} files, some ${seconds} s`);
  for (const { path, seconds: each } of of) console.log(`  ${path} (${each} s)`);
};

if (choice === 'all') console.log('\nAll tests run, long ones too.');
else {
  list(`Drawn of the long tests by the date (WEIR_SAMPLE=${date})`, drawn);
  console.log(`Not today: ${left.length} files, which .ci/full runs.`);
}
