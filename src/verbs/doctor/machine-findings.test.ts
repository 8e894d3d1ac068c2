import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { HostFacts } from '../../platform/host/host-facts.ts';
import { parseQuota } from '../../platform/host/host-facts.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { doctorDocument } from './doctor-document.ts';
import { machineFindings } from './machine-findings.ts';
import { packageFindings, packageUses } from './package-findings.ts';

const machine = { node: 'v24.0.0', platform: 'linux x64', cpu: 'a CPU', cores: 4 };
const healthy: HostFacts = {
  quota: null,
  openFiles: 20_000,
  ports: 28_232,
  hasCpuWait: true,
  hasThrottling: true,
  hasMemory: true,
  alarmLateness: Array.from({ length: 50 }, () => 0.05),
};

const levelOf = (name: string, facts: Partial<HostFacts>, cores = 4) => {
  const all = machineFindings({ ...machine, cores }, { ...healthy, ...facts }, true, null);
  return all.find((each) => each.name === name)?.level;
};

describe('the diagnosis of a machine', () => {
  it('finds nothing to say of a healthy one, but that it is not calibrated', () => {
    const levels = machineFindings(machine, healthy, true, null).map(({ level }) => level);
    expect(levels).toEqual([...Array.from({ length: 6 }, () => 'good'), 'absent']);
  });

  const late = (few: number, most: number) =>
    Array.from({ length: 50 }, (_, i) => (i === 0 ? few : most));

  it.each([
    ['timers', { alarmLateness: late(4, 0.1) }, 'good'],
    ['timers', { alarmLateness: late(6, 0.1) }, 'warning'],
    ['timers', { alarmLateness: late(0, 11) }, 'bad'],
    ['cores', { quota: 0.5 }, 'warning'],
    ['cores', { quota: 1.5 }, 'good'],
    ['open files', { openFiles: 63 }, 'bad'],
    ['open files', { openFiles: 256 }, 'warning'],
    ['open files', { openFiles: 'unlimited' as const }, 'good'],
    ['local ports', { ports: 1000 }, 'warning'],
    ['timers', { alarmLateness: late(5, 0.1) }, 'good'],
    ['timers', { alarmLateness: late(0, 10) }, 'warning'],
    ['timers', { alarmLateness: [] }, 'good'],
    ['cores', { quota: 1 }, 'good'],
    ['open files', { openFiles: 64 }, 'warning'],
    ['open files', { openFiles: 1099 }, 'warning'],
    ['open files', { openFiles: 1100 }, 'good'],
    ['open files', { openFiles: null }, 'absent'],
    ['local ports', { ports: 5999 }, 'warning'],
    ['local ports', { ports: 6000 }, 'good'],
    ['local ports', { ports: null }, 'absent'],
  ])('says of %s where %j: %s', (name, facts, level) => {
    expect(levelOf(name, facts)).toBe(level);
  });

  it('has the day of the calibration, if there is one', () => {
    const calibration = { calibratedAt: '2026-11-21T10:00:00.000Z' } as never;
    const last = machineFindings(machine, healthy, true, calibration).at(-1);
    expect(last).toMatchObject({ name: 'calibration', level: 'good', found: 'of 2026-11-21' });
  });

  it('warns of a single core', () => {
    expect(levelOf('cores', {}, 1)).toBe('warning');
    expect(levelOf('cores', {}, 2)).toBe('good');
  });

  it('says which signals a system without /proc and cgroups does not have', () => {
    const none = { quota: null, openFiles: null, ports: null, hasCpuWait: false };
    const facts = { ...healthy, ...none, hasThrottling: false, hasMemory: false };
    const findings = machineFindings(machine, facts, false, null);
    expect(findings.filter(({ level }) => level === 'warning' || level === 'bad')).toEqual([]);
    expect(findings.find(({ name }) => name === 'signals')?.found).toBe(
      'without CPU wait, CPU throttling, memory',
    );
  });

  it.each([
    ['50000 100000\n', 0.5],
    ['max 100000\n', null],
    ['-1 100000\n', null],
    [' ', null],
  ])('reads the CPU quota of a cgroup: %j', (text, quota) => {
    expect(parseQuota(text)).toBe(quota);
  });
});

describe('the diagnosis of optional packages', () => {
  it('has a use for each package that the manifest calls optional', () => {
    const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      peerDependencies: Readonly<Record<string, string>>;
    };
    const known = Object.values(packageUses).flat();
    expect(known.toSorted()).toEqual(Object.keys(peerDependencies).toSorted());
  });

  it('names the command that adds those that are missing, and only those', () => {
    const findings = packageFindings((name) => (name === '@nats-io/kv' ? null : '1.2.3'));
    expect(findings.filter(({ level }) => level === 'absent')).toEqual([
      expect.objectContaining({ advice: '`npm install @nats-io/kv@3`' }),
    ]);
  });
});

it('the text of a diagnosis has its result first', () => {
  const findings = [
    ...machineFindings(machine, { ...healthy, openFiles: 256 }, false, null),
    ...packageFindings((name) => (name === 'autocannon' ? '9.0.0' : null)).slice(0, 2),
  ];
  const diagnosis = { format: 'doctor/1', weir: '1.0.0', node: 'v24', platform: 'p' } as const;
  const document = doctorDocument({ ...diagnosis, findings });
  expect(terminalText(document, { colour: false, width: 80 })).toMatchInlineSnapshot(`
    "! This machine can measure, with reservations (1 finding below)
      Weir 1.0.0, Node v24, p

    Machine
                   found
      timers       ✓ p50 0.05 ms, p99 0.05 ms late (50 alarms)
      cores        ✓ 4, no CPU quota
      open files   ! 256
          Each request in flight needs one: \`ulimit -n 4096\` raises it.
      local ports  ✓ 28,232
      signals      ✓ CPU wait, CPU throttling, memory
      cores apart  – not possible here
          The embedded gateway and the load share cores, as the system chooses.
      calibration  – none
          \`weir calibrate\` measures how exact figures of this machine are; reports
          then say so.

    Optional packages
                            found
      load saturate         ✓ autocannon 9.0.0
      tokenizers of OpenAI  – not installed     \`npm install gpt-tokenizer@4\`"
  `);
});
