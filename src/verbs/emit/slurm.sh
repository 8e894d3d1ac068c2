#!/bin/bash
# <plan> in <slicesText>, written by weir emit slurm (Weir <version>). Read it, then, in the scenario's folder:
#   sbatch FILE
# Keys come from the environment of sbatch, as usual; none is in this file, nor in the rendezvous.
#@each files
# Every node needs the file <secretsFolder>/<file>.
#@end
#SBATCH --job-name=<name>
#SBATCH --ntasks=<slices>
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=<cpus>
#SBATCH --mem=<memory>M
#SBATCH --time=<clock>
#SBATCH --no-requeue
set -uo pipefail
#@each variables
: "${<variable>:?export it before sbatch}"
#@end
weir=${WEIR:-weir}
# A folder that all nodes share, unless WEIR_RENDEZVOUS names another or nats://HOST:<natsPort>.
meet=${WEIR_RENDEZVOUS:-<meet>}

$weir coordinate <scenario> <options> --rendezvous "$meet" --out "reports/<name>-$SLURM_JOB_ID" &
coordinator=$!
# A worker that ends does not end the others: the coordinator decides.
srun --ntasks=<slices> --ntasks-per-node=1 --kill-on-bad-exit=0 $weir worker --rendezvous "$meet" --slice auto --folder "$SLURM_SUBMIT_DIR" &
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
