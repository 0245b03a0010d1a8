/**
 * A small shell program that stands between the server and an engine. It outlives the server, and writes down which
 * process the engine is and how it ended. Shell and not JavaScript: a megabyte instead of fifty, and up in a
 * millisecond.  Arguments: the folder of the run, whether there is input, and the command. The process that creates
 * the file `begun` decides: the engine begins, or the server, after a crash, has taken the start back. The inner
 * shell becomes the engine, so that its number is the engine's. Without /proc there is only the number, and `$PPID`
 * of a child is the one way to ask for it.  What Node calls a pipe is a socket, and no one can open that by a name:
 * input goes through a real pipe, which the engine finds as /dev/fd/3.
 */
export const wrapper = `umask 077
run=$1 input=$2
shift 2
{ read -r outer </proc/$$/stat; } 2>/dev/null || outer="$$ "
engine() {
  { read -r inner </proc/self/stat; } 2>/dev/null || inner="$(exec sh -c 'echo $PPID') "
  { read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null || boot=
  printf '%s\\n%s\\n%s\\n' "$outer" "$inner" "$boot" >"$run/births"
  set -C
  { : >"$run/begun"; } 2>/dev/null || exit 125
  set +C
  exec "$@"
}
if [ "$input" = yes ]; then
  cat <&3 3<&- | (exec 3<&0 </dev/null; engine "$@")
else
  (engine "$@")
fi
echo $? >"$run/exit"
`
