import { secretsFolder } from '../../platform/files/secrets.ts';
import { quotedWord } from '../../scenario/text/shell-words.ts';
import {
  coordinatorOptions,
  type Launch,
  longestLife,
  mebibytes,
  natsPort,
  secretFiles,
  secretVariables,
} from './launch.ts';
import { plural } from '../../report/text/number-text.ts';

/** A batch script for Slurm: the coordinator beside the first worker, one worker on each node. */

const clock = (seconds: number): string => {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
};

export const slurmScript = (launch: Launch): string => {
  const { name, plan, file, slices, cpus, memoryGiB, rendezvous, version } = launch;
  const keys = secretVariables(plan).map(
    (variable) => `: "\${${variable}:?export it before sbatch}"`,
  );
  const files = secretFiles(plan).map(
    (secret) => `# Every node needs the file ${secretsFolder}/${secret}.\n`,
  );
  const options = coordinatorOptions(launch).map(quotedWord).join(' ');
  return `#!/bin/bash
# ${plan.name} in ${plural(slices, 'slice')}, written by weir emit slurm (Weir ${version}). Read it, then, in the scenario's folder:
#   sbatch FILE
# Keys come from the environment of sbatch, as usual; none is in this file, nor in the rendezvous.
${files.join('')}#SBATCH --job-name=${name}
#SBATCH --ntasks=${slices}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=${cpus}
#SBATCH --mem=${mebibytes(memoryGiB)}M
#SBATCH --time=${clock(longestLife(plan))}
#SBATCH --no-requeue
set -uo pipefail
${keys.join('\n')}
weir=\${WEIR:-weir}
# A folder that all nodes share, unless WEIR_RENDEZVOUS names another or nats://HOST:${natsPort}.
meet=\${WEIR_RENDEZVOUS:-${rendezvous ?? 'file://$SLURM_SUBMIT_DIR/weir-$SLURM_JOB_ID'}}

$weir coordinate ${quotedWord(file)} ${options} --rendezvous "$meet" --out "reports/${name}-$SLURM_JOB_ID" &
coordinator=$!
# A worker that ends does not end the others: the coordinator decides.
srun --ntasks=${slices} --ntasks-per-node=1 --kill-on-bad-exit=0 $weir worker --rendezvous "$meet" --slice auto --folder "$SLURM_SUBMIT_DIR" &
workers=$!
# scancel ends every process of the job: the coordinator writes its report first.
trap : TERM
wait "$coordinator"
status=$?
while kill -0 "$coordinator" 2>/dev/null; do wait "$coordinator"; status=$?; done
# Exit code 2: the coordinator could not begin, and the workers wait for it in vain.
if [ "$status" = 2 ]; then kill "$workers"; fi
wait "$workers"
rmdir "$SLURM_SUBMIT_DIR/weir-$SLURM_JOB_ID" 2>/dev/null
exit "$status"
`;
};
