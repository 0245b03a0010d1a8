import type { UsageRead, UsageRecord } from '../scheduler'
import { standing } from './endings'
import { gpus, text } from './values'

/** The exit code if there is no such log or the account may not read it. */
export const NO_LOG = 44

/**
 * Jobs that ended between two times, from the text file in which a Slurm without an accounting database logs jobs. It
 * has the controller's local times, preceded by text that users control: a job's name may contain line breaks and
 * look like another user's record. So records are skipped if their id occurs with two users or was not assigned yet.
 * Output lines start with S (the start of the log), R (a possible record) or B (the ends around skipped lines).
 */
const script = `from=$1 to=$2
config=$(scontrol show config) || exit 1
value() { printf '%s\\n' "$config" | sed -n "s/^$1 *= *//p"; }
[ "$(value JobCompType)" = jobcomp/filetxt ] || exit ${NO_LOG}
log=$(value JobCompLoc)
next=$(value NEXT_JOB_ID)
[ -r "$log" ] || exit ${NO_LOG}
set --
for file in "$log"-* "$log".*; do
  case $file in *.gz | *.xz | *.bz2 | *.zst) ;; *) [ ! -r "$file" ] || set -- "$@" "$file" ;; esac
done
exec awk -v from="$from" -v to="$to" -v next_id="$next" '
  function time(key, at) {
    if (!match($0, " " key "=[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9] ")) return -1
    at = substr($0, RSTART + length(key) + 2, 19)
    gsub(/[-T:]/, " ", at)
    return mktime(at)
  }
  { id = /^JobId=[0-9]+ UserId=/ ? substr($1, 7) + 0 : -1 }
  pass == 1 { if (id >= 0) { if ((id in owner) && owner[id] != $2) disputed[id]; owner[id] = $2 }; next }
  {
    end = time("EndTime")
    if (end >= 0 && !begun) { begun = 1; print "S", end }
    if (end < 0 || id < 0 || id >= next_id || (id in disputed)) { broken = 1; if (end > until) until = end; next }
    gap(end)
    last = end
    if (end >= from && end <= to) print "R", time("StartTime"), end, $0
  }
  function gap(end) {
    if (broken && last <= to && end >= from) print "B", last, end
    broken = until = 0
  }
  END { gap(until > last ? until : last + 1) }' pass=1 "$@" "$log" pass=2 "$@" "$log"`

export const readCompletionLog = (from: number, to: number): string[] => [
  'sh',
  '-c',
  script,
  'usage',
  String(Math.floor(from / 1000)),
  String(Math.ceil(to / 1000)),
]

/** A record. The keys written by Slurm occur exactly once, in this order. */
const record =
  /^JobId=(?<id>\d+) UserId=(?<user>\S+)\(\d+\) GroupId=.* Name=(?<name>.*) JobState=(?<state>[A-Z_]+) .* NodeList=(?<nodeList>\S+) NodeCnt=(?<nodes>\d+) ProcCnt=(?<cores>\d+) WorkDir=.* ExitCode=(?<exit>\d+:\d+) ?$/
const once = 'GroupId|Name|JobState|StartTime|EndTime|NodeList|NodeCnt|ProcCnt|WorkDir|ExitCode'.split('|')
const atMostOnce = ['JobId', 'UserId', 'Tres', 'ArrayJobId', 'ArrayTaskId']
/** Longer than any record that Slurm writes. */
const LINE_MAX = 300_000
const count = (line: string, key: string) => line.split(` ${key}=`).length - 1
const valueOf = (line: string, key: string) => new RegExp(` ${key}=(\\S*)`).exec(line)?.[1]

export function readCompletions(output: string, to: number): UsageRead {
  const records: UsageRecord[] = []
  const gaps: { from: number; to: number }[] = []
  let since = to
  for (const [, kind, one, two, line = ''] of output.matchAll(/^([SRB]) (-?\d+)(?: (\d+))?(?: (.*))?$/gm)) {
    const [first, second] = [Number(one) * 1000, Number(two) * 1000]
    const read = kind === 'R' ? readRecord(line, first, second) : []
    if (kind === 'S') since = first
    else if (kind === 'B') gaps.push({ from: Math.max(first, since), to: Math.min(second, to) })
    else if (read) records.push(...read)
    else gaps.push({ from: Math.max(first, since), to: second })
  }
  return { records, since, gaps: gaps.filter((gap) => gap.from < gap.to) }
}

function readRecord(line: string, startTime: number, endTime: number): UsageRecord[] | undefined {
  // Checked before the pattern, which would backtrack excessively on a line that repeats the keys.
  if (line.length > LINE_MAX || once.some((key) => count(line, key) !== 1)) return undefined
  if (count(line, 'JobId') !== 0 || atMostOnce.some((key) => count(line, key) > 1)) return undefined
  const fields = record.exec(line)?.groups
  if (!fields) return undefined
  const { id = '', user = '', name = '', state = '', nodeList = '', exit = '' } = fields
  // A job that never got a node has not started, although the field has a time.
  if (startTime < 0 || text(nodeList) === undefined || fields.nodes === '0') return []
  const arrayId = valueOf(line, 'ArrayJobId')
  const task = valueOf(line, 'ArrayTaskId')
  return [
    {
      ...(arrayId === undefined ? { id } : { id: `${arrayId}_${task}`, arrayId }),
      name,
      user,
      state: standing(state, 'None', exit).ending ?? 'requeued',
      nodes: Number(fields.nodes),
      cores: Number(fields.cores),
      gpus: gpus(valueOf(line, 'Tres')),
      nodeList,
      startTime,
      endTime: Math.max(startTime, endTime),
    },
  ]
}
