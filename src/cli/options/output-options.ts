import type { OutputOptions } from '../../run/input/run-request.ts';
import type { Argv } from 'yargs';

export const withOutputOptions = <T>(builder: Argv<T>) =>
  builder
    .option('json', {
      type: 'boolean',
      default: false,
      group: 'Output:',
      describe: 'Print the result as JSON instead of the summary',
    })
    .option('quiet', {
      type: 'boolean',
      default: false,
      group: 'Output:',
      describe: 'Print nothing but errors; files and exit code tell',
    });

/** What can be told of a result, and written of it. */
export const withReportOptions = <T>(builder: Argv<T>) =>
  withOutputOptions(builder).options({
    junit: {
      type: 'string',
      group: 'Output:',
      describe: 'Also write the verdicts as JUnit XML to this file',
    },
    csv: {
      type: 'string',
      group: 'Output:',
      describe: 'Also write the figures as a CSV table to this file',
    },
    summary: {
      type: 'string',
      group: 'Output:',
      describe: 'Also write a summary in Markdown to this file (always to $GITHUB_STEP_SUMMARY)',
    },
  });

export const outputOptionsFrom = (given: {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly junit: string | undefined;
  readonly csv: string | undefined;
  readonly summary: string | undefined;
}): OutputOptions => ({
  json: given.json,
  quiet: given.quiet,
  extraReports: { junit: given.junit, csv: given.csv, summary: given.summary },
});
