// @gate 1 s
import { beforeAll, describe, expect, it } from 'vitest';
import type { LimitLog } from '../../model/limits/limit-log.ts';
import { altered, changes, examinedLog, foundIn, quickChanges } from './altered-logs.fixture.ts';

/** What is found in the log of one examination, and in logs of which one thing was changed. */

let log: LimitLog;
let usual: ReadonlySet<string>;
beforeAll(async () => {
  log = await examinedLog();
  usual = new Set(foundIn(log));
});

describe('what else is found in a log', () => {
  it.each(Object.entries(changes).filter(([name]) => !quickChanges.includes(name)))(
    '%s',
    (_, change) => {
      expect(foundIn(altered(log, change)).filter((line) => !usual.has(line))).toMatchSnapshot();
    },
  );
});
