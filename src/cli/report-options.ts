import type { Argv } from 'yargs';

export const tellingOptions = <T>(builder: Argv<T>) =>
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

/** What is told of a result, and written of it beside the usual files. */
export interface Telling {
  /** The result as JSON on standard output, and nothing else there. */
  readonly json: boolean;
  /** Only files. */
  readonly quiet: boolean;
  readonly further: Wanted;
}

/** Reports beside the usual ones, and the files they go to. */
export interface Wanted {
  readonly junit: string | undefined;
  readonly csv: string | undefined;
  readonly summary: string | undefined;
}

/** What can be told of a result, and written of it. */
export const reportOptions = <T>(builder: Argv<T>) =>
  tellingOptions(builder).options({
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

export const tellingFrom = (given: {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly junit: string | undefined;
  readonly csv: string | undefined;
  readonly summary: string | undefined;
}): Telling => ({
  json: given.json,
  quiet: given.quiet,
  further: { junit: given.junit, csv: given.csv, summary: given.summary },
});
