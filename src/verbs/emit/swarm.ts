import {
  beside,
  coordinatorOptions,
  type Launch,
  mebibytes,
  meetingPlace,
  natsPort,
  secretFiles,
  secretVariables,
} from './launch.ts';
import { quotedWord } from '../../scenario/text/shell-words.ts';
import { plural } from '../../report/text/number-text.ts';

/** Commands for Docker Swarm: a replicated job of workers, a job of the coordinator, and NATS beside them. */

const limits = (cpus: number, memoryGiB: number): string => {
  const amounts = [`cpu ${cpus}`, `memory ${mebibytes(memoryGiB)}m`];
  return amounts.map((amount) => `--limit-${amount} --reserve-${amount}`).join(' ');
};

/** What every container of Weir may not do; it writes to a volume of its own, which is the image's user's as the folder in the image is. */
const hardened =
  '--user 1000:1000 --read-only --cap-drop ALL --mount type=tmpfs,target=/tmp --mount type=volume,target=/work';

export const swarmScript = (launch: Launch): string => {
  const { name, plan, file, text, slices, image, natsImage, cpus, memoryGiB, version } = launch;
  const [variables, files] = [secretVariables(plan), secretFiles(plan)];
  const meet = meetingPlace(launch);
  const secretOf = (secret: string): string => `${name}-${secret.toLowerCase()}`;
  const job = '--mode replicated-job --restart-condition none --detach';
  const before = [
    ...variables.map((each) => `printf %s "$${each}" | docker secret create ${secretOf(each)} -`),
    ...files.map((each) => `docker secret create ${secretOf(each)} ${each}`),
  ];
  const given = [...variables, ...files].map(
    (secret) => `--secret source=${secretOf(secret)},target=${secret}`,
  );
  const end = `WEIR_SCENARIO_${name.toUpperCase().replaceAll('-', '_')}`;
  // Without a virtual address, which not every kernel can forward.
  const server = `docker service create --name ${name}-nats --network ${name} --endpoint-mode dnsrr --detach --user 1000:1000 --read-only \\
  --cap-drop ALL --mount type=tmpfs,target=/data,tmpfs-mode=1777 ${limits(...beside)} \\
  ${natsImage} --port ${natsPort} --jetstream --store_dir /data
`;
  const options = coordinatorOptions(launch).map(quotedWord).join(' ');
  return `#!/bin/sh
# ${plan.name} in ${plural(slices, 'slice')}, written by weir emit swarm (Weir ${version}). Read it, then run it on a manager.
${before.map((command) => `# Before: ${command}\n`).join('')}# Then:   docker service logs -f ${name}-coordinator
#         docker cp "$(docker ps -aqf name=${name}-coordinator)":/work/report .   # on the node that it ran on
# After:  docker service rm ${name}-coordinator ${name}-worker${launch.rendezvous === null ? ` ${name}-nats` : ''}; docker network rm ${name}; docker config rm ${name}-scenario
# Swarm starts a failed task again in spite of its condition: the new one finds its slice taken, and sends nothing.
set -eu
docker network create --driver overlay ${name}
docker config create ${name}-scenario - <<'${end}'
${text.replace(/\n?$/, '\n')}${end}
${launch.rendezvous === null ? server : ''}docker service create --name ${name}-coordinator ${job} --network ${name} --replicas 1 ${hardened} \\
  --config source=${name}-scenario,target=${quotedWord(`/scenario/${file}`)} ${limits(...beside)} \\
  ${image} coordinate ${quotedWord(`/scenario/${file}`)} ${options} --rendezvous ${meet} --out /work/report --no-history
docker service create --name ${name}-worker ${job} --network ${name} --replicas ${slices} --max-concurrent ${slices} ${hardened} \\
  --env WEIR_SLICES=${slices} --env 'WEIR_TASK_SLOT={{.Task.Slot}}' ${given.join(' ')} ${limits(cpus, memoryGiB)} \\
  ${image} worker --rendezvous ${meet} --slice auto
`;
};
