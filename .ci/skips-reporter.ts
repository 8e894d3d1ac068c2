import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

/** Writes a line with the reason of each skipped test to the file that `WEIR_SKIPS` names, since other reporters count them only. */
// oxlint-disable-next-line import/no-default-export -- vitest reads it so
export default class SkipsReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    const file = process.env['WEIR_SKIPS'];
    if (result.state !== 'skipped' || file === undefined) return;
    appendFileSync(
      file,
      `  ${test.module.relativeModuleId}: ${test.fullName}: ${result.note ?? 'no reason'}\n`,
    );
  }
}
