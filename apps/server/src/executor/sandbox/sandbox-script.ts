import { awaitUplink } from './network'
import { HOME_FD, NETWORK, PLACE_FD, TABLE } from './sandbox'

/**
 * Runs in new namespaces before any code of the user. Arguments: the place with the table of mounts (see sandbox.ts),
 * the home, the kind of network, how many bytes of the disk must stay free or nothing, and the command. Place and home
 * are kept open while other mounts cover their paths; only the home is mounted again. `mount` gets the whole table at
 * once and must not canonicalize paths (`-c`), because that would resolve them before the mounts.
 */
export const buildSandbox = `fail() { printf 'flotilla: the sandbox could not be created: %s\\n' "$1" >&2; exit 126; }
[ -d "$1" ] && [ -d "$2" ] && [ ! -L "$2" ] || fail "$2 is not a folder"
exec ${PLACE_FD}<"$1" ${HOME_FD}<"$2"
out=$(umask 022; mount -n -c -a -T /proc/self/fd/${PLACE_FD}/${TABLE} 2>&1) || fail "$out"
if [ "$3" != machine ]; then
  out=$(PATH="$PATH:/usr/sbin:/sbin" ip -batch /proc/self/fd/${PLACE_FD}/${NETWORK} 2>&1) || [ "$3" = loopback ] || fail "$out"
fi
if [ "$3" = uplink ]; then
${awaitUplink}
fi
# Files are limited to the space that is free now, and jobs are killed first when the machine runs out of memory.
bound() { if [ "$1" -lt $(($2 * $3)) ]; then ulimit -f $((($2 * $3 - $1) / 512)); else ulimit -f 0; fi; }
[ -z "$4" ] || bound "$4" $(stat -f -c '%a %S' /proc/self/fd/${HOME_FD}/.)
{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
shift 4
exec ${PLACE_FD}<&- ${HOME_FD}<&-
cd /
exec "$@"
`
