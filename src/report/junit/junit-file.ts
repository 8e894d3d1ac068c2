import { markup, type Markup } from '../text/markup.ts';

/**
 * This file writes verdicts as a JUnit file that both common schemas accept: JUnit.xsd of Ant, and junit-10.xsd of
 * Jenkins. The schema of Ant requires every attribute, and allows no text in a test case that passed.
 */

export const passed = { kind: 'passed' } as const;
export const skipped = (message: string) => ({ kind: 'skipped', message }) as const;
export const failed = (type: string, message: string, details = message) =>
  ({ kind: 'failed', type, message, details }) as const;

type JunitOutcome = typeof passed | ReturnType<typeof skipped> | ReturnType<typeof failed>;

/** A test. Its `classname` and `name` are equal in every run, so a CI service can track it. */
export interface JunitCase {
  readonly classname: string;
  readonly name: string;
  readonly outcome: JunitOutcome;
}

export interface JunitSuite {
  readonly name: string;
  /** The start as wall-clock time, in ISO 8601 and UTC. */
  readonly startedAt: string;
  /** The duration, in milliseconds. */
  readonly duration: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly cases: readonly JunitCase[];
  /** Lines that say what was observed, also for tests that passed. */
  readonly output: readonly string[];
}

/** Turns the line feeds of a text into markup, since plain line feeds would be escaped. */
const linesOf = (text: string): readonly (string | Markup)[] =>
  text.split('\n').map((line, i) => (i === 0 ? line : markup`\n${line}`));

const outcomeMarkup = (outcome: JunitOutcome): Markup | null => {
  switch (outcome.kind) {
    case 'passed':
      return null;
    case 'skipped':
      return markup`<skipped message="${outcome.message}"/>`;
    case 'failed':
      return markup`<failure message="${outcome.message}" type="${outcome.type}">${linesOf(outcome.details)}</failure>`;
  }
};

const testCase = ({ classname, name, outcome }: JunitCase): Markup =>
  markup`  <testcase classname="${classname}" name="${name}" time="0">${outcomeMarkup(outcome)}</testcase>\n`;

/**
 * Returns the attributes of the suite. The schemas allow no milliseconds and no time zone in a timestamp, and no
 * thousands separators in a duration.
 */
const attributes = ({ name, startedAt, duration, cases }: JunitSuite): Markup => {
  const count = (kind: JunitOutcome['kind']): number =>
    cases.filter(({ outcome }) => outcome.kind === kind).length;
  return markup`name="${name}" timestamp="${startedAt.slice(0, 19)}" hostname="localhost" tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}" time="${(duration / 1000).toFixed(3)}"`;
};

export const junitFile = (suite: JunitSuite): string => {
  const properties = Object.entries(suite.properties).map(
    ([name, value]) => markup`    <property name="${name}" value="${value}"/>\n`,
  );
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuite ${attributes(suite)}>
  <properties>
${properties}  </properties>
${suite.cases.map(testCase)}  <system-out>${suite.output.map((line) => markup`${line}\n`)}</system-out>
  <system-err></system-err>
</testsuite>
`.markup;
};
