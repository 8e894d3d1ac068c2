#!/bin/sh
#@ What no container of Weir may do; it writes to its own volume, which is the image's user's as the folder in the image is.
#@let hardened = --user 1000:1000 --read-only --cap-drop ALL --mount type=tmpfs,target=/tmp --mount type=volume,target=/work
#@let job = --mode replicated-job --restart-condition none --detach --network <name>
#@let limits = --limit-cpu <cpus> --reserve-cpu <cpus> --limit-memory <memory>m --reserve-memory <memory>m
#@let limitsBeside = --limit-cpu <cpusBeside> --reserve-cpu <cpusBeside> --limit-memory <memoryBeside>m --reserve-memory <memoryBeside>m
# <plan> in <slicesText>, written by weir emit swarm (Weir <version>). Read it, then run it on a manager.
#@each variables
# Before: printf %s "$<variable>" | docker secret create <name>-<stored> -
#@end
#@each files
# Before: docker secret create <name>-<stored> <file>
#@end
# Then:   docker service logs -f <name>-coordinator
#         docker cp "$(docker ps -aqf name=<name>-coordinator)":/work/report .   # on the node that it ran on
# After:  docker service rm <services>; docker network rm <name>; docker config rm <name>-scenario
# Swarm starts a failed task again in spite of its condition: the new one finds its slice taken, and sends nothing.
set -eu
docker network create --driver overlay <name>
docker config create <name>-scenario - <<'<end>'
<text>
<end>
#@if server
#@ Without a virtual address, which not every kernel can forward.
docker service create --name <name>-nats --network <name> --endpoint-mode dnsrr --detach --user 1000:1000 --read-only \
  --cap-drop ALL --mount type=tmpfs,target=/data,tmpfs-mode=1777 <limitsBeside> \
  <natsImage> --port <natsPort> --jetstream --store_dir /data
#@end
docker service create --name <name>-coordinator <job> --replicas 1 <hardened> \
  --config source=<name>-scenario,target=<scenario> <limitsBeside> \
  <image> coordinate <scenario> <options> --rendezvous <meet> --out /work/report --no-history
docker service create --name <name>-worker <job> --replicas <slices> --max-concurrent <slices> <hardened> \
  --env WEIR_SLICES=<slices> --env 'WEIR_TASK_SLOT={{.Task.Slot}}' <secrets> <limits> \
  <image> worker --rendezvous <meet> --slice auto
