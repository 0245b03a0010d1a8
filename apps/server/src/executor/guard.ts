/**
 * Two small shell programs. The guard supervises one job: it enforces the wall time, ends the job on request and
 * records how it ended, all without the executor, which may die and be restarted in the meantime. The inside runs
 * under the job's account and is the parent of its script. They are written in shell because every running job has
 * one of each: a shell needs one megabyte where Node.js needs fifty, and there is no runtime that could fail.
 */

/**
 * Arguments: folder of the attempt, file for the exit record, limit in seconds, key, how the job is contained, script,
 * and the command. With `space`, the job has its own PID namespace, whose first process is the only child of the
 * command: when it dies, the kernel ends everything else in the namespace, and no process can leave it. With `scan`,
 * the job's processes are found by the key in their environment, by ancestry and by session.
 */
export const guard = `# Supervises one job. Written by the executor; see guard.ts.
umask 077
run=$1 ended=$2 limit=$3 key=$4 hold=$5 script=$6
shift 6

# Sets rest to the fields of a process's stat after its name, which may contain anything. It starts no process because
# tree calls it for every process of the machine.
fields() {
  rest=
  { read -r rest; while read -r more; do rest="$rest $more"; done; } 2>/dev/null <"/proc/$1/stat"
  rest=\${rest##*) }
  [ -n "$rest" ]
}
born() { fields "$1" && set -- $rest && shift 19 && echo "$1"; }
spent() { fields $$ && set -- $rest && shift 13 && echo $(($1 + $2)); }

cause= signaled=
trap 'cause=\${cause:-canceled}' TERM
trap 'cause=\${cause:-timed_out}' USR1
# The job exceeded a resource limit, so it must end immediately.
trap 'cause=over' USR2

# Creating this link is the decision: if it exists already, the executor has revoked the start.
mine=$(born $$)
echo "$$ $mine" >"$run/begun.$$" && ln "$run/begun.$$" "$run/begun" 2>/dev/null || exit 0

tree() {
  all=" $job "
  for file in $(grep -lsazx "FLOTILLA_JOB_KEY=$key" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    all="$all\${file%/environ} "
  done
  before=
  while [ "$all" != "$before" ]; do
    before=$all
    for file in /proc/[0-9]*; do
      pid=\${file#/proc/}
      case $all in *" $pid "*) continue ;; esac
      fields "$pid" || continue
      set -- $rest
      [ "$1" = Z ] && continue
      case $all in *" $2 "* | *" $4 "*) all="$all$pid " ;; esac
    done
  done
  echo $all
}

send() {
  if [ "$hold" = space ]; then
    # The last child: the process of the network uplink is an older one.
    first=
    for first in $(cat "/proc/$job/task/$job/children"); do :; done
    if [ -n "$first" ]; then kill -s "$1" "$first" && signaled=1
    elif [ "$1" = KILL ]; then kill -s KILL "$job"
    fi
  else
    for pid in $(tree); do kill -s "$1" "$pid"; done
    signaled=1
  fi 2>/dev/null
}

code=143 job=
if [ -z "$cause" ]; then
  "$@" </dev/null 8<"$run/env" 9<"$script" &
  job=$!
  # It sleeps in steps, so that the timer of a killed guard does not stay around for days.
  (
    passed=0 step=0
    while :; do
      # The executor writes the new limit here when the job is extended.
      [ -r "$run/limit" ] && read -r limit <"$run/limit"
      step=$((limit - passed))
      [ "$step" -gt 30 ] && step=30
      [ "$step" -gt 0 ] || { kill -s USR1 $$; step=1; }
      sleep "$step" || exit
      [ "$(born $$)" = "$mine" ] || exit
      passed=$((passed + step))
    done
  ) &
  wait "$job"
  code=$?
  if [ -n "$cause" ]; then
    tries=0
    while kill -0 "$job" 2>/dev/null; do
      if [ "$tries" -ge 50 ] || [ "$cause" = over ]; then send KILL
      elif [ -z "$signaled" ]; then send TERM
      fi
      sleep 0.1
      tries=$((tries + 1))
    done
    # 127: the first wait already returned the exit status.
    wait "$job"
    late=$?
    [ "$late" = 127 ] || code=$late
  fi
  job=
  if [ "$hold" = scan ]; then
    tries=0
    while left=$(tree) && [ -n "$left" ] && [ "$tries" -lt 100 ]; do
      kill -s KILL $left 2>/dev/null
      sleep 0.05
      tries=$((tries + 1))
    done
  fi
fi

# A full disk is temporary, so this is retried; a removed folder is not coming back.
until echo "$code \${cause:-ended} $(spent)" >"$run/exit" && mv "$run/exit" "$ended"; do
  [ -d "$run" ] || break
  sleep 5
done 2>/dev/null
# Only the timer and its sleep are left in this process group; the job has its own session.
trap '' TERM
kill -s TERM 0
`

/**
 * Arguments: private folder, working directory, stdout file, stderr file or nothing, and the interpreter of the
 * script. Descriptor 8 has the environment as shell text and 9 the script: this account may not read their files.
 */
export const inside = `fail() { printf 'flotilla: %s\\n' "$1" >&2; exit 126; }
umask 077
{ echo 500 >"/proc/$$/oom_score_adj"; } 2>/dev/null
own=$1 dir=$2 out=$3 err=$4
shift 4
eval "$(cat <&8)"
mkdir -m 700 -- "$own" 2>/dev/null && cat <&9 >"$own/script" && chmod 500 "$own/script" ||
  fail "its script cannot be written to $own. Check whether the disk is full"
for node in $FLOTILLA_NODES; do
  count=0
  while [ "$count" -lt "$FLOTILLA_CORES" ]; do echo "$node"; count=$((count + 1)); done
done >"$own/nodes"
mkdir -p -- "$dir" 2>/dev/null
cd -- "$dir" 2>/dev/null || fail "its folder $dir cannot be opened"
(: >>"$out") 2>/dev/null || fail "its output cannot be written to $out"
[ -z "$err" ] || (: >>"$err") 2>/dev/null || fail "its errors cannot be written to $err"
exec 8<&- 9<&-
# For the first process of a PID namespace, -1 means everything in the namespace; otherwise it would mean every process
# of the machine.
if [ $$ = 1 ]; then trap 'kill -s TERM -- -1' TERM; else trap : TERM; fi
if [ -n "$err" ]; then exec >>"$out" 2>>"$err"; else exec >>"$out" 2>&1; fi
env --default-signal setsid "$@" "$own/script" </dev/null &
main=$!
# Messages of this shell about its child do not belong in the job's output.
exec >/dev/null 2>&1
while :; do
  wait "$main"
  code=$?
  kill -0 "$main" 2>/dev/null && continue
  # A signal may have interrupted the first wait while the child ended. 127: the status was already returned.
  wait "$main"
  late=$?
  [ "$late" = 127 ] || code=$late
  exit "$code"
done
`
