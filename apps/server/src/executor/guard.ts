/**
 * Two small shell programs. The guard stays beside each job: it enforces the wall time, ends the job when told to, and
 * records how it ended, all without the executor, which may die and come back in the meantime. The inside runs as the
 * job's own account and becomes the parent of its script. They are shell and not JavaScript because there is one of
 * each for every running job: a megabyte instead of fifty, and no runtime that could fail on the way.
 */

/**
 * Arguments: folder of the attempt, where to put the exit, seconds, key, how the job is held, script, and the command.
 * Held by `space` the job has a process namespace of its own, whose first process is the only child of the command:
 * when that one dies, the kernel ends everything else in it, and nothing can leave. Held by `scan` its processes are
 * looked for by the key in their environment, by descent and by session.
 */
export const guard = `# Watches over one job. Made by the executor; see guard.ts.
umask 077
run=$1 ended=$2 limit=$3 key=$4 hold=$5 script=$6
shift 6

# Puts the fields of a process after its name, which may hold anything, into rest. Starts no process: for a tree it is
# done for every process there is.
fields() {
  rest=
  { read -r rest; while read -r more; do rest="$rest $more"; done; } 2>/dev/null <"/proc/$1/stat"
  rest=\${rest##*) }
  [ -n "$rest" ]
}
born() { fields "$1" && set -- $rest && shift 19 && echo "$1"; }
spent() { fields $$ && set -- $rest && shift 13 && echo $(($1 + $2)); }

cause= told=
trap 'cause=\${cause:-canceled}' TERM
trap 'cause=\${cause:-timed_out}' USR1
# It has used more than it may. That cannot wait.
trap 'cause=over' USR2

# Whichever side creates this link decides: we begin, or the executor has revoked the start.
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
    # The youngest: an uplink of the network is an older child.
    first=
    for first in $(cat "/proc/$job/task/$job/children"); do :; done
    if [ -n "$first" ]; then kill -s "$1" "$first" && told=1
    elif [ "$1" = KILL ]; then kill -s KILL "$job"
    fi
  else
    for pid in $(tree); do kill -s "$1" "$pid"; done
    told=1
  fi 2>/dev/null
}

code=143 job=
if [ -z "$cause" ]; then
  "$@" </dev/null 8<"$run/env" 9<"$script" &
  job=$!
  # In steps, so that the timer of a guard that was killed does not sleep on for days.
  (
    passed=0 step=0
    while :; do
      # The executor leaves another limit here when the job is extended.
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
      elif [ -z "$told" ]; then send TERM
      fi
      sleep 0.1
      tries=$((tries + 1))
    done
    # 127: the first wait had its end already, and there is no more to hear.
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

# A full disk passes; a folder that is gone does not come back.
until echo "$code \${cause:-ended} $(spent)" >"$run/exit" && mv "$run/exit" "$ended"; do
  [ -d "$run" ] || break
  sleep 5
done 2>/dev/null
# The timer and its sleep are the rest of this group; the job has a session of its own.
trap '' TERM
kill -s TERM 0
`

/**
 * Arguments: private folder, work folder, output, errors or nothing, and the program for the script. Descriptor 8
 * gives the environment as shell text and 9 the script, as this account may read neither where they lie.
 */
export const inside = `say() { printf 'flotilla: %s\\n' "$1" >&2; exit 126; }
umask 077
{ echo 500 >"/proc/$$/oom_score_adj"; } 2>/dev/null
own=$1 dir=$2 out=$3 err=$4
shift 4
eval "$(cat <&8)"
mkdir -m 700 -- "$own" 2>/dev/null && cat <&9 >"$own/script" && chmod 500 "$own/script" ||
  say "its script cannot be written to $own. Check whether the disk is full"
for node in $FLOTILLA_NODES; do
  count=0
  while [ "$count" -lt "$FLOTILLA_CORES" ]; do echo "$node"; count=$((count + 1)); done
done >"$own/nodes"
mkdir -p -- "$dir" 2>/dev/null
cd -- "$dir" 2>/dev/null || say "its folder $dir cannot be opened"
(: >>"$out") 2>/dev/null || say "its output cannot be written to $out"
[ -z "$err" ] || (: >>"$err") 2>/dev/null || say "its errors cannot be written to $err"
exec 8<&- 9<&-
# As the first process of a namespace, -1 means everything in it; anywhere else it would mean everything there is.
if [ $$ = 1 ]; then trap 'kill -s TERM -- -1' TERM; else trap : TERM; fi
if [ -n "$err" ]; then exec >>"$out" 2>>"$err"; else exec >>"$out" 2>&1; fi
env --default-signal setsid "$@" "$own/script" </dev/null &
main=$!
# What this shell itself says about its child is nothing for the job's output.
exec >/dev/null 2>&1
while :; do
  wait "$main"
  code=$?
  kill -0 "$main" 2>/dev/null && continue
  # A signal that came with its end has cut off the first wait; 127: there is no more to hear.
  wait "$main"
  late=$?
  [ "$late" = 127 ] || code=$late
  exit "$code"
done
`
