#!/bin/sh
# Waits until a Job has ended, complete or failed, and exits with the exit code of its pod: that of plumbline.
#
#   sh wait-for-job.sh JOB [SECONDS [KUBECTL-FLAG...]]
#   sh wait-for-job.sh "plumbline-merge-$CI_PIPELINE_ID" 1200 --namespace staging
#
# Exits with 2 on wrong usage, and with 3 if there is no verdict: the Job or its pod is gone, or the time limit (1200
# seconds by default) has passed. Until then it retries failed calls of kubectl, every INTERVAL (5) seconds.
set -u

fail() {
  code=$1
  shift
  echo "wait-for-job: $*" >&2
  exit "$code"
}

job=${1-}
limit=${2-1200}
interval=${INTERVAL:-5}
[ -n "$job" ] || fail 2 'missing the name of the Job. Usage: wait-for-job.sh JOB [SECONDS [KUBECTL-FLAG...]]'
case $limit in
  '' | *[!0-9]*) fail 2 "SECONDS must be a whole number, got '$limit'." ;;
esac
command -v kubectl >/dev/null || fail 2 'could not find kubectl. Install it, or add it to PATH.'
if [ $# -gt 2 ]; then shift 2; else set --; fi

# "NAME CONDITION... ", only the conditions that are true; nothing if there is no such Job.
conditions='{.metadata.name}{range .status.conditions[?(@.status=="True")]} {.type}{end} '
# "PHASE EXIT-CODE" for each pod; without the code while the container runs, or if it never ran.
pods='{range .items[*]}{.status.phase} {.status.containerStatuses[?(@.name=="plumbline")].state.terminated.exitCode}{"\n"}{end}'

end=$(($(date +%s) + limit))
while :; do
  if found=$(kubectl get "job/$job" --ignore-not-found --request-timeout 10s -o "jsonpath=$conditions" "$@"); then
    case $found in
      '') fail 3 "could not find the Job $job. It may have been deleted." ;;
      *' Complete '*) exit 0 ;;
      *' Failed '*)
        if found=$(kubectl get pods --selector "batch.kubernetes.io/job-name=$job" --request-timeout 10s -o "jsonpath=$pods" "$@"); then
          code=$(printf '%s\n' "$found" | sed -n 's/^[A-Za-z]* \([1-9][0-9]*\)$/\1/p' | head -n 1)
          [ -z "$code" ] || fail "$code" "the Job $job failed with exit code $code."
          case $found in
            # The pod is still being stopped.
            *Running* | *Pending*) ;;
            *) fail 3 "the Job $job failed, and its pod is gone or has no exit code. See kubectl describe job $job." ;;
          esac
        fi
        ;;
    esac
  fi
  [ "$(date +%s)" -lt "$end" ] || fail 3 "the Job $job did not end within $limit seconds."
  sleep "$interval"
done
