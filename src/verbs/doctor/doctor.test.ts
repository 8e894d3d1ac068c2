import { expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { doctorExit, printDiagnosis } from './doctor.ts';
import { type Finding, type FindingLevel, finding } from './finding.ts';

const found = (about: Finding['about'], name: string, level: FindingLevel): Finding =>
  finding(about)(name, level, 'so');

it.each<readonly [string, readonly Finding[]]>([
  ['pass', []],
  ['pass', [found('target', 'look', 'warning'), found('machine', 'cores', 'warning')]],
  ['configuration', [found('target', 'address', 'bad')]],
  ['configuration', [found('machine', 'open files', 'bad')]],
  ['configuration', [found('machine', 'timers', 'bad'), found('machine', 'open files', 'bad')]],
  ['invalid', [found('machine', 'timers', 'bad'), found('machine', 'open files', 'warning')]],
  ['invalid', [found('machine', 'timers', 'bad'), found('target', 'key', 'good')]],
])('the exit of a diagnosis is %s for %j', (exit, findings) => {
  expect(doctorExit(findings)).toBe(exit);
});

it('a diagnosis is printed whole, as JSON and as its verdict alone at the end', () => {
  const { host, printed } = fakeHost();
  const closed: unknown[] = [];
  Object.assign(host.printer, { close: (outcome: unknown) => closed.push(outcome) });
  const findings = [found('machine', 'timers', 'bad'), found('machine', 'cores', 'good')];
  expect(printDiagnosis(findings, host)).toBe('invalid');
  const [outcome] = printed;
  expect(closed).toEqual([outcome]);
  expect(outcome).toMatchObject({ hasClosing: true, isGood: false });
  const { format, weir, node, platform, ...rest } = JSON.parse(outcome!.json!);
  expect([format, rest]).toEqual(['doctor/1', { findings }]);
  expect(node).toBe(process.version);
  const style = { colour: false, width: 80 };
  const text = outcome!.text(style);
  expect(text).toContain(`Weir ${weir}, Node ${node}, ${platform}`);
  expect(text).toMatch(/timers +✗ so\n +cores +✓ so/);
  expect(outcome!.closing!(style)).toBe('✗ This machine cannot measure (1 finding below)');
  expect(printDiagnosis([found('machine', 'cores', 'good')], host)).toBe('pass');
  expect(printed[1]!.isGood).toBe(true);
});
