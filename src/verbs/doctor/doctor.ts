import { readCalibration } from '../../platform/files/calibration-file.ts';
import { measureHost } from '../../platform/host/host-facts.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { canSeparateCores } from '../../platform/process/separate-cores.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { calibrationPath } from '../../run/calibration-note.ts';
import type { Host, PrintedOutcome } from '../../run/input/host.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import type { TargetRequest } from '../../run/target/target-plan.ts';
import { type Diagnosis, doctorDocument } from './doctor-document.ts';
import type { Finding } from './finding.ts';
import { machineFindings } from './machine-findings.ts';
import { packageFindings } from './package-findings.ts';

const lookAtMachine = async ({ environment }: Host): Promise<readonly Finding[]> => {
  // The measurements run one after another, so that nothing disturbs the measurement of the timers.
  const facts = await measureHost();
  const separatesCores = await canSeparateCores();
  const path = calibrationPath(environment);
  const calibration = path === null ? null : await readCalibration(path);
  return machineFindings(thisMachine(), facts, separatesCores, calibration);
};

/**
 * Returns the exit name for a diagnosis: `configuration` if the target is unusable or too few files can be open,
 * `invalid` if no load on this machine would be as planned.
 */
export const doctorExit = (findings: readonly Finding[]): ExitName => {
  const bad = findings.filter(({ level }) => level === 'bad');
  if (bad.some(({ about, name }) => about === 'target' || name === 'open files'))
    return 'configuration';
  return bad.length > 0 ? 'invalid' : 'pass';
};

/** Prints a diagnosis, and returns its exit name. */
export const printDiagnosis = (findings: readonly Finding[], { printer }: Host): ExitName => {
  const { node, platform } = thisMachine();
  const diagnosis: Diagnosis = {
    format: 'doctor/1',
    weir: weirVersion(),
    node,
    platform,
    findings,
  };
  const exit = doctorExit(findings);
  const document = doctorDocument(diagnosis);
  const outcome: PrintedOutcome = {
    json: JSON.stringify(diagnosis),
    text: (style) => terminalText(document, style),
    closing: (style) => terminalText({ ...document, description: [], blocks: [] }, style),
    hasClosing: true,
    isGood: exit === 'pass',
  };
  printer.print(outcome);
  printer.close(outcome);
  return exit;
};

/** Says what this machine can measure, which optional packages are installed, and whether a target answers. */
export const diagnose = async (request: TargetRequest, host: Host): Promise<ExitName> => {
  const hasTarget = request.scenario !== undefined || request.target !== undefined;
  const ofTarget = hasTarget
    ? await (await import('./target-findings.ts')).targetFindings(request, host)
    : [];
  return printDiagnosis([...ofTarget, ...(await lookAtMachine(host)), ...packageFindings()], host);
};
