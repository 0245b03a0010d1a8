import type { UsageRecord } from '../scheduler'
import { jobEnd } from './endings'
import { milliseconds } from '../bounds'
import { hosts, keyValues, requestedNodes, seconds } from './jobs'

const DAY_MS = 24 * 60 * 60_000
/** The exit code if there is no log or the account may not read it. */
export const NO_LOG = 44

/**
 * Prints the ends of jobs between two times from the server's accounting log, which has a file per day. It exists only
 * on the server's machine, for accounts that may read it. Start records are skipped because end records repeat them. If
 * Torque was built for another folder, tracejob prints it in its usage.
 */
const script = `from=$1 to=$2
shift 2
built=$(tracejob 2>/dev/null </dev/null | sed -n 's/^default prefix path = //p')
for home in "\${PBS_HOME:-/var/spool/torque}" "\${built:-/var/spool/torque}" /var/lib/torque; do
  folder=$home/server_priv/accounting
  [ -r "$folder" ] && [ -x "$folder" ] || continue
  for day in "$@"; do
    [ ! -e "$folder/$day" ] || awk -F ';' -v from="$from" -v to="$to" '
      $2 == "E" && match($0, / end=[0-9]+/) {
        end = substr($0, RSTART + 5, RLENGTH - 5) + 0
        if (end >= from && end <= to) print
      }' "$folder/$day" || exit
  done
  exit 0
done
exit ${NO_LOG}`

export function readLog(from: number, to: number): string[] {
  // The files are named by the server's local date, which may be a day off.
  const days = Array.from({ length: Math.ceil((to - from) / DAY_MS) + 3 }, (_, index) =>
    new Date(from + (index - 1) * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''),
  )
  return ['sh', '-c', script, 'usage', String(Math.floor(from / 1000)), String(Math.ceil(to / 1000)), ...days]
}

/** `11/15/2026 03:08:02;E;8.head;user=alice group=alice ... end=1794712082 Exit_status=0 ...` */
export const readEnds = (log: string): UsageRecord[] => log.split('\n').flatMap(readEnd)

function readEnd(line: string): UsageRecord[] {
  const [, type, id = '', ...rest] = line.split(';')
  if (type !== 'E') return []
  const record = keyValues(rest.join(';'))
  const startTime = milliseconds(record.start)
  const endTime = milliseconds(record.end)
  if (!startTime || !endTime) return []
  const requested = requestedNodes(record)
  const nodes = Number(record.unique_node_count) || requested.nodes
  const array = /^(\d+)\[\d+\](.*)$/.exec(id)
  return [
    {
      id,
      ...(array && { arrayId: `${array[1]}[]${array[2]}` }),
      name: record.jobname ?? '',
      user: record.user ?? '',
      state: jobEnd(
        record.Exit_status,
        seconds(record['resources_used.walltime']),
        seconds(record['Resource_List.walltime']),
      ).ending,
      nodes,
      cores: Number(record.total_execution_slots) || requested.nodes * requested.cores,
      gpus: requested.nodes * requested.gpus,
      nodeList: hosts(record.exec_host),
      startTime,
      endTime: Math.max(startTime, endTime),
    },
  ]
}
