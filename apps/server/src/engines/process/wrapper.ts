/**
 * A small shell program between the server and an engine. It outlives the server, and records which process the engine
 * is and how it ended. It is shell rather than JavaScript because it needs one megabyte instead of fifty and starts
 * within a millisecond.
 *
 * Its arguments are the folder of the run, whether there is input, and the command. Whichever process creates the file
 * `begun` decides: either the engine starts, or the server has revoked the start after a crash. The inner shell becomes
 * the engine, so it has the engine's pid. Without /proc there is only the pid, which a child's `$PPID` is the only way
 * to get.
 *
 * Node's pipes are sockets, which cannot be opened by name: input is passed on through a real pipe, which the engine
 * opens as /dev/fd/3.
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
