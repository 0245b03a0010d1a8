import { awaitUplink } from './network'
import { HOME_FD, NETWORK, PLACE_FD, TABLE } from './sandbox'

/**
 * Runs in new namespaces before anything of a person's. Arguments: the place with the table of mounts (see
 * sandbox.ts), the home, the kind of its network, how many bytes of the disk its files must leave free or nothing, and
 * the command. Place and home are held open while what lies around them is covered; only the home comes back. `mount`
 * gets the whole table at once and must not look at paths itself, as they would be those of before.
 */
export const buildSandbox = `fail() { printf 'flotilla: the sandbox could not be created: %s\\n' "$1" >&2; exit 126; }
[ -d "$1" ] && [ -d "$2" ] && [ ! -L "$2" ] || fail "$2 is not a folder"
exec ${PLACE_FD}<"$1" ${HOME_FD}<"$2"
said=$(umask 022; mount -n -c -a -T /proc/self/fd/${PLACE_FD}/${TABLE} 2>&1) || fail "$said"
if [ "$3" != machine ]; then
  said=$(PATH="$PATH:/usr/sbin:/sbin" ip -batch /proc/self/fd/${PLACE_FD}/${NETWORK} 2>&1) || [ "$3" = loopback ] || fail "$said"
fi
if [ "$3" = uplink ]; then
${awaitUplink}
fi
# No file becomes larger than there is room for now. Jobs are the first to go when memory runs out.
bound() { if [ "$1" -lt $(($2 * $3)) ]; then ulimit -f $((($2 * $3 - $1) / 512)); else ulimit -f 0; fi; }
[ -z "$4" ] || bound "$4" $(stat -f -c '%a %S' /proc/self/fd/${HOME_FD}/.)
{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
shift 4
exec ${PLACE_FD}<&- ${HOME_FD}<&-
cd /
exec "$@"
`
