import { nearestRank } from '../../model/measures/histogram.ts';
import type { Calibration } from '../../model/series/calibration.ts';
import type { SliceRun } from '../../model/result/result.ts';
import type { HostFacts } from '../../platform/host/host-facts.ts';
import { countText, figureText } from '../../report/text/number-text.ts';
import { type Finding, finding } from './finding.ts';

const aboutMachine = finding('machine');

/** The bounds of timer lateness, in ms: above `p99`, figures are inexact; above `p50`, the load is not as planned. */
const lateness = { p99: 5, p50: 10 } as const;

/** A run needs at least `least` open files. With `plenty`, it can have 1,000 requests in flight. */
const openFiles = { least: 64, plenty: 1100 } as const;

/**
 * A plentiful number of local ports: enough for 100 new connections a second, since the system keeps the port of a
 * closed connection for a minute.
 */
const plentyOfPorts = 6000;

const timersFinding = ({ alarmLateness }: HostFacts): Finding => {
  const sorted = alarmLateness.toSorted((a, b) => a - b);
  const lateBy = (q: number): number => sorted[nearestRank(sorted.length, q) - 1] ?? 0;
  const [p50, p99] = [lateBy(0.5), lateBy(0.99)];
  const found = `p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms late (${sorted.length} alarms)`;
  if (p50 > lateness.p50)
    return aboutMachine(
      'timers',
      'bad',
      found,
      'No load leaves here when it is due: stop other programs, or use another machine.',
    );
  return p99 > lateness.p99
    ? aboutMachine(
        'timers',
        'warning',
        found,
        'Other programs keep this one waiting: figures below this time are inexact.',
      )
    : aboutMachine('timers', 'good', found);
};

const coresFinding = ({ cores }: SliceRun['machine'], { quota }: HostFacts): Finding => {
  const found = `${cores}${quota === null ? ', no CPU quota' : `, CPU quota ${figureText(quota)}`}`;
  if (quota !== null && quota < 1)
    return aboutMachine(
      'cores',
      'warning',
      found,
      'The quota stops this program for parts of a second: give it at least one CPU.',
    );
  return cores < 2
    ? aboutMachine(
        'cores',
        'warning',
        found,
        'A gateway on the same machine takes time from the load generator.',
      )
    : aboutMachine('cores', 'good', found);
};

const openFilesFinding = ({ openFiles: limit }: HostFacts): Finding => {
  if (limit === null) return aboutMachine('open files', 'absent', 'this system names no limit');
  if (limit === 'unlimited') return aboutMachine('open files', 'good', limit);
  const found = countText(limit);
  const raise = '`ulimit -n 4096` raises it.';
  if (limit < openFiles.least)
    return aboutMachine(
      'open files',
      'bad',
      found,
      `A run needs at least ${openFiles.least}: ${raise}`,
    );
  return limit < openFiles.plenty
    ? aboutMachine('open files', 'warning', found, `Each request in flight needs one: ${raise}`)
    : aboutMachine('open files', 'good', found);
};

const portsFinding = ({ ports }: HostFacts): Finding => {
  if (ports === null) return aboutMachine('local ports', 'absent', 'this system names no range');
  return ports < plentyOfPorts
    ? aboutMachine(
        'local ports',
        'warning',
        countText(ports),
        'A load that opens a connection for each request uses them up: widen net.ipv4.ip_local_port_range.',
      )
    : aboutMachine('local ports', 'good', countText(ports));
};

/** Names the signals by which reports detect that the load generator was disturbed. */
const signalsFinding = (facts: HostFacts): Finding => {
  const rows = [
    ['CPU wait', facts.hasCpuWait],
    ['CPU throttling', facts.hasThrottling],
    ['memory', facts.hasMemory],
  ] as const;
  const named = (wanted: boolean): string =>
    rows
      .filter(([, isThere]) => isThere === wanted)
      .map(([name]) => name)
      .join(', ');
  const missing = named(false);
  return missing === ''
    ? aboutMachine('signals', 'good', named(true))
    : aboutMachine(
        'signals',
        'absent',
        `without ${missing}`,
        'This system lacks them. Reports judge the load generator by its event loop and timers alone.',
      );
};

const calibrationFinding = (calibration: Calibration | null): Finding =>
  calibration === null
    ? aboutMachine(
        'calibration',
        'absent',
        'none',
        '`weir calibrate` measures how exact figures of this machine are; reports then say so.',
      )
    : aboutMachine('calibration', 'good', `of ${calibration.calibratedAt.slice(0, 10)}`);

/** Judges what this machine can measure. */
export const machineFindings = (
  machine: SliceRun['machine'],
  facts: HostFacts,
  separatesCores: boolean,
  calibration: Calibration | null,
): readonly Finding[] => [
  timersFinding(facts),
  coresFinding(machine, facts),
  openFilesFinding(facts),
  portsFinding(facts),
  signalsFinding(facts),
  separatesCores
    ? aboutMachine('cores apart', 'good', 'by taskset')
    : aboutMachine(
        'cores apart',
        'absent',
        'not possible here',
        'The embedded gateway and the load share cores, as the system chooses.',
      ),
  calibrationFinding(calibration),
];
