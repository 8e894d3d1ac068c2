import { describe, expect, it } from 'vitest';
import type { ReportDocument } from './document.ts';
import { markdownText } from './markdown-writer.ts';

/** What is asked of the page of each wing; a wing's test has its reports, and beside it its snapshot. */

/** Returns the lines of a page, none of which has a value that could not be written. */
const soundLines = (document: ReportDocument): readonly string[] => {
  const page = markdownText(document);
  expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
  return page.split('\n');
};

export const describeWholePages = (pages: Readonly<Record<string, ReportDocument>>): void => {
  describe('the whole page of', () => {
    it.each(Object.entries(pages))('%s', (_, page) => {
      expect(soundLines(page).join('\n')).toMatchSnapshot();
    });
  });
};

/** Of pages that differ a little from the usual one, only the difference is stored. */
export const describeOtherPages = (
  usual: ReportDocument,
  others: Readonly<Record<string, ReportDocument>>,
): void => {
  describe('what only the page has of', () => {
    it.each(Object.entries(others))('%s', (_, other) => {
      const known = new Set(markdownText(usual).split('\n'));
      const lines = soundLines(other);
      const lacking = [...known].filter((line) => !lines.includes(line) && line.startsWith('#'));
      expect([
        ...lines.filter((line) => !known.has(line)),
        ...lacking.map((line) => `no ${line}`),
      ]).toMatchSnapshot();
    });
  });
};

export const describeTestCaseFiles = (files: Readonly<Record<string, string>>): void => {
  describe('the file of test cases of', () => {
    it.each(Object.entries(files))('%s', (_, file) => {
      expect(file).toMatchSnapshot();
    });
  });
};

/** The part of a schema that reads what a wing has stored. */
interface StoredSchema {
  safeParse(stored: unknown): {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly unknown[] } | undefined;
  };
}

export const describeStoredReports = (
  reports: Readonly<Record<string, readonly [schema: StoredSchema, report: object]>>,
): void => {
  describe('what a wing has stored is read again without a loss:', () => {
    it.each(Object.entries(reports))('%s', (_, [schema, report]) => {
      const stored: unknown = JSON.parse(JSON.stringify(report));
      const read = schema.safeParse(stored);
      expect(read.error?.issues).toBeUndefined();
      expect(read.data).toEqual(stored);
      const { format: __, ...unnamed } = stored as { format: string };
      expect(schema.safeParse(unnamed).success).toBe(false);
      expect(schema.safeParse({ ...unnamed, format: 'odd/1' }).success).toBe(false);
    });
  });
};
