import { expect, it } from 'vitest';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { doctorDocument } from './doctor-document.ts';
import { finding, type FindingLevel } from './finding.ts';
import { packageFindings } from './package-findings.ts';

/** The page of a diagnosis of a machine, and of a target unless that is null. */
const pageOf = (machine: FindingLevel, target: FindingLevel | null = null): string =>
  markdownText(
    doctorDocument({
      format: 'doctor/1',
      weir: '0.1.0',
      node: 'v24.0.0',
      platform: 'linux x64',
      findings: [
        finding('machine')('Clock', 'good', 'exact'),
        finding('machine')('`Cores`', machine, '2', 'Use more.'),
        finding('machine')('History', 'absent', 'none'),
        ...(target === null ? [] : [finding('target')('Address', target, 'https')]),
      ],
    }),
  );

it.each<readonly [FindingLevel, FindingLevel | null, string]>([
  ['good', null, '## ✅ Weir: Diagnosis\n\n**This machine can measure**'],
  ['absent', null, '**This machine can measure**'],
  ['warning', null, '## ⚠️ Weir: Diagnosis\n\n**This machine can measure, with reservations (1 '],
  ['bad', null, '## ❌ Weir: Diagnosis\n\n**This machine cannot measure (1 finding below)**'],
  ['good', 'good', '## ✅ Weir: Diagnosis\n\n**The target answers; this machine can measure**'],
  ['good', 'bad', '## ❌ Weir: Diagnosis\n\n**The target cannot be used; this machine can '],
  ['bad', 'warning', '## ❌ Weir: Diagnosis\n\n**The target may be used, with doubts; this '],
  ['warning', 'warning', 'this machine can measure, with reservations (2 findings below)**'],
])('a diagnosis of a machine that is %s and a target that is %s', (machine, target, verdict) => {
  expect(pageOf(machine, target)).toContain(verdict);
});

it('has a table of each subject that there is, with what was found and what to do', () => {
  const alone = pageOf('bad');
  expect(alone).toContain('Weir 0.1.0, Node v24.0.0, linux x64');
  expect(alone).toContain('| Cores | ✗ 2 | Use more. |');
  expect(alone).toContain('| Clock | ✓ exact |');
  expect(alone).toContain('| History | – none |');
  expect(alone.match(/^### .*/gm)).toEqual(['### Machine']);
  expect(pageOf('good', 'good').match(/^### .*/gm)).toEqual(['### Target', '### Machine']);
});

it('packages of one use are named by the first of them, or by the command that adds those that lack', () => {
  const all = packageFindings(() => '1.2.3');
  expect(all.every(({ level, about }) => level === 'good' && about === 'packages')).toBe(true);
  const nats = 'several machines over NATS';
  expect(all.find(({ name }) => name === nats)!.found).toBe('@nats-io/transport-node 1.2.3');
  const some = packageFindings((name) => (name === '@nats-io/kv' ? null : '1.2.3'));
  const { level, found, advice } = some.find(({ name }) => name === nats)!;
  expect([level, found]).toEqual(['absent', 'not installed']);
  expect(advice).toContain('@nats-io/kv');
  expect(advice).not.toContain('@nats-io/obj');
  expect(some.filter((each) => each.level === 'absent')).toHaveLength(1);
});
