#!/bin/sh
# A gate that fails a CI job when a gateway has become slower. The first job stores five runs as the
# baseline; each later job makes five runs and compares. The last exit code is the verdict:
#
#     0   not slower, as far as five runs can show; or the baseline was stored
#     11  slower, or fails more: the report names what, and by how much
#     12  this machine was too busy to send the load, even when a run was tried three times
#     13  only with STRICT=--strict: not decided
#
# Any other code is that of a single run: 2 (nothing was sent), 3 (stopped), 14 (a limit is violated), 15 (nothing
# succeeded).
#
# It needs weir on the path, WEIR_API_KEY, and:
#
#   GATEWAY=https://gateway.example/v1 MODEL=publisher/model sh ci-slower.sh
#
# Keep the folder BASE between jobs (a cache, an artifact); delete it to accept how fast the gateway is now.
# If the old and the new version can run side by side, set AGAINST to the old one's address: runs in turns
# need no baseline, and find smaller changes.

set -eu
: "${GATEWAY:?is the base address, which ends in /v1}" "${MODEL:?is the name of a model}"
BASE=${BASE:-reports/baseline}

# 50 requests are enough for medians, and within 60 requests a minute. Weir waits a minute between runs, so
# that a key's limit recovers; PAUSE=0s is for gateways without one.
five_runs() {
  weir run --target "$GATEWAY" --model "$MODEL" --max-tokens 20 --rate "${RATE:-2/s}" \
    --duration "${DURATION:-25s}" --repeat 5 --pause "${PAUSE:-61s}" "$@" ${STRICT:-}
}

if [ -n "${AGAINST:-}" ]; then
  five_runs --against "$AGAINST"
elif [ -d "$BASE" ]; then
  five_runs --baseline "$BASE"
else
  # Only five whole runs become the baseline: a job that is stopped leaves none.
  rm -rf -- "$BASE.new"
  five_runs --out "$BASE.new"
  mv "$BASE.new" "$BASE"
  echo "Stored as the baseline: $BASE"
fi
