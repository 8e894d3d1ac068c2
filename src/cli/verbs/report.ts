import { dirname } from 'node:path';
import {
  defineVerb,
  type Given,
  inGroup,
  listOption,
  positionals,
  textOption,
  UsageProblem,
} from '../options/define-verb.ts';
import {
  extraReportsFrom,
  reportOptions,
  requestsOption,
  strictOption,
} from '../options/output-options.ts';
import { terminalHost } from '../options/terminal-host.ts';

const requestsOptions = {
  ...requestsOption,
  ...inGroup('Output:', {
    observations: listOption(
      'The observations of the run, which --requests is made from; repeatable, for slices',
    ),
  }),
};

/**
 * Returns the options of the table of requests: the path of the table, and the files of observations from which the
 * table is made. Returns `null` if neither option is given. Throws a `UsageProblem` if only one of the two options is
 * given.
 */
export const requestsFrom = ({ requests, observations }: Given<typeof requestsOptions>) => {
  if (requests === undefined) {
    if (observations.length === 0) return null;
    throw new UsageProblem(
      '--observations: nothing is made of them without --requests FILE, a table with a row for each request',
    );
  }
  if (observations.length > 0) return { requests, observations };
  throw new UsageProblem(
    '--requests: a result has the distributions of all requests, and no single one: expected the observations of the run, --observations FILE. A run writes these, or the table itself, if it is given the same option',
  );
};

export const reportVerb = defineVerb({
  options: {
    ...reportOptions,
    ...strictOption,
    ...inGroup(positionals, {
      result: {
        ...textOption(
          'A result.json, the checkpoint.jsonl of a killed run, or the folder of either or of findings of `weir limits`',
        ),
        demandOption: true,
      },
    }),
    ...requestsOptions,
    ...inGroup('Output:', {
      out: textOption('Folder for the reports [that of the result]'),
    }),
  },
  run: async (given) => {
    const { result, out } = given;
    const { findingsFolderOf } = await import('../../run/output/findings-folder.ts');
    const findings = await findingsFolderOf(result);
    if (findings !== null) {
      const { reportFindings } = await import('../../verbs/limits/stored-findings.ts');
      return reportFindings(findings, out, terminalHost(given));
    }
    const { reportStored } = await import('../../run/report-stored.ts');
    const folder = out ?? (/\.jsonl?$/.test(result) ? dirname(result) : result);
    const extraReports = extraReportsFrom(given, folder);
    const options = { extraReports, requests: requestsFrom(given), isStrict: given.strict };
    return reportStored(result, out, options, terminalHost(given));
  },
});
