import type { LimitCheck } from '../../model/limit-log.ts';
import type { LimitReport } from '../../model/limit-report.ts';
import { markup, type Markup } from '../html/markup.ts';
import { outcomeOf, sectionText, verdictText } from './limit-words.ts';

/** What tells more than the name of the test. */
const body = (check: LimitCheck): Markup => {
  const details = [check.observed, ...check.evidence].join('\n');
  switch (outcomeOf(check)) {
    case 'violated':
      return markup`<failure message="${check.observed}" type="limit-violated">${details}</failure>`;
    case 'undecided':
      return markup`<skipped message="undecided: ${check.observed}"/>`;
    case 'does not hold':
      return markup`<system-out>does not hold, and violates no limit: ${details}</system-out>`;
    case 'holds':
      return markup`<system-out>${details}</system-out>`;
  }
};

const testCase = (check: LimitCheck): Markup =>
  markup`  <testcase classname="limits" name="${check.id} (${sectionText(check)}): ${check.claim}" time="0">${body(check)}</testcase>
`;

/** The claims as JUnit tests: a violated limit fails, an undecided claim is skipped, a claim that merely does not hold says so. */
export const limitsJunit = (report: LimitReport): string => {
  const { checks } = report.judgement;
  const count = (outcome: ReturnType<typeof outcomeOf>): number =>
    checks.filter((check) => outcomeOf(check) === outcome).length;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="weir limits ${report.target}" tests="${checks.length}" failures="${count('violated')}" errors="0" skipped="${count('undecided')}" timestamp="${report.startedAt}" time="${(report.took / 1000).toFixed(3)}">
${checks.map(testCase)}  <system-out>${verdictText(report)}</system-out>
</testsuite>
`.markup;
};
