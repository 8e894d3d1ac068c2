import { join } from 'node:path';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { themedPage } from '../../report/document/html-page.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import type { Host } from '../../run/input/host.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import { openOutputFolder, outputFiles, usingFolder } from '../../run/output/output-folder.ts';
import { fileIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';
import type { KeyFindings } from './model/key-findings.ts';
import { findingsDocument } from './report/findings-document.ts';
import { gravestVerdict } from './report/limits-sentence.ts';

/** This file reads the findings that `weir limits` saved in a folder, and reports on them again. */

const formats = { requests: 'limits/1', tokens: 'token-limits/1' } as const;
const files = { requests: 'limits', tokens: 'tokens' } as const;

const readOne = async <Limit extends keyof KeyFindings>(
  folder: string,
  limit: Limit,
): Promise<KeyFindings[Limit]> => {
  const path = join(folder, outputFiles[files[limit]].data);
  if (!(await pathExists(path))) return null;
  const parsed: unknown = await readTextFile(path)
    .then((text): unknown => JSON.parse(text))
    .catch(() => null);
  const isOurs =
    typeof parsed === 'object' &&
    parsed !== null &&
    'format' in parsed &&
    parsed.format === formats[limit];
  if (isOurs) return parsed as KeyFindings[Limit];
  throw new Problem(
    `${path} has no findings of \`weir limits\`: expected "format": "${formats[limit]}"`,
  );
};

/** Reads the findings in a folder. Throws a `Problem` if a file was not written by `weir limits`. */
const readFindings = async (folder: string): Promise<KeyFindings> => ({
  requests: await readOne(folder, 'requests'),
  tokens: await readOne(folder, 'tokens'),
});

const nothing: KeyFindings = { requests: null, tokens: null };

/**
 * Returns the stored findings about the target's limit `limit`, which the report on the other limit uses for its
 * sentence about both. An unreadable file is ignored, so that an examination always gets its report.
 */
export const findingsBeside = async (
  folder: string,
  target: string,
  limit: keyof KeyFindings,
): Promise<KeyFindings> => {
  try {
    const found = await readOne(folder, limit);
    if (found?.target !== target) return nothing;
    const findings = { ...nothing, [limit]: found };
    findingsDocument(findings);
    return findings;
  } catch {
    return nothing;
  }
};

const exits = { kept: 'pass', violated: 'violated', undecided: 'inconclusive' } as const;

/** Returns the name of the exit code for the gravest verdict of the findings. */
export const exitOfFindings = (findings: KeyFindings): ExitName => exits[gravestVerdict(findings)];

/** Throws a `Problem` if the findings are about two targets, since a single verdict would be about neither. */
const rejectTwoTargets = (folder: string, { requests, tokens }: KeyFindings): void => {
  if (requests === null || tokens === null || requests.target === tokens.target) return;
  throw new Problem(
    `the findings in ${folder} are of two targets: ${requests.target} (limits.json) and ${tokens.target} (token-limits.json). Report on each file in a folder of its own`,
  );
};

/** Reports on the findings in `folder`. The report is written into the same folder or into `out`. */
export const reportFindings = async (
  folder: string,
  out: string | undefined,
  { printer }: Host,
): Promise<ExitName> => {
  const findings = await readFindings(folder);
  const { document, page, json } = await reportOf(folder, findings);
  rejectTwoTargets(folder, findings);
  const kind = findings.requests === null ? 'tokens' : 'limits';
  const output = await openOutputFolder(
    out ?? folder,
    kind,
    out === undefined ? () => undefined : printer.say,
  );
  return usingFolder(output, async () => {
    const written = await publishOutcome(printer, printed(document, json), [
      fileIn(output, 'Report', outputFiles[kind].page, () => page),
    ]);
    return written === 'pass' ? exitOfFindings(findings) : written;
  });
};

/**
 * Builds the whole report. Throws a `Problem` if the findings come from another version. No schema checks the findings,
 * so a damaged field may show only when a plot is drawn.
 */
const reportOf = async (folder: string, findings: KeyFindings) => {
  const assets = await readReportAssets();
  try {
    const document = findingsDocument(findings);
    const text = terminalText(document, { colour: false, width: 100 });
    const page = themedPage(document, assets);
    if (/\bNaN\b/.test(text) || /="[^"]*\bNaN\b/.test(page))
      throw new TypeError('a figure is no number');
    return { document, page, json: `${JSON.stringify(findings)}\n` };
  } catch {
    const names = (['requests', 'tokens'] as const)
      .filter((limit) => findings[limit] !== null)
      .map((limit) => outputFiles[files[limit]].data);
    throw new Problem(
      `the findings in ${folder} (${names.join(', ')}) were written by another version of Weir or changed since: run \`weir limits\` again`,
    );
  }
};
