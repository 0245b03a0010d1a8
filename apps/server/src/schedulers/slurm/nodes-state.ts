import type { NodeState } from '../scheduler'

/** The suffixes of a state's name that are equivalent to flags. */
const marks: Record<string, string> = {
  '*': 'NOT_RESPONDING',
  '~': 'POWERED_DOWN',
  '#': 'POWERING_UP',
  '%': 'POWERING_DOWN',
  '!': 'POWER_DOWN',
  $: 'MAINT',
  '@': 'REBOOT_REQUESTED',
  '^': 'REBOOT_ISSUED',
  '-': 'PLANNED',
}

const down = ['DOWN', 'FAIL', 'FAILING', 'ERROR', 'NOT_RESPONDING']
const stopped = ['POWERED_DOWN', 'POWERING_DOWN', 'POWER_DOWN']
const offline = [
  'DRAIN',
  'DRAINED',
  'DRAINING',
  'MAINT',
  'INVALID_REG',
  'REBOOT_REQUESTED',
  'REBOOT_ISSUED',
  'REBOOT',
]
const busy = ['ALLOCATED', 'MIXED', 'COMPLETING', 'POWERING_UP']

/** Reads words such as `MIXED`, `IDLE+DRAIN` or `DOWN*`, or a list of them. */
export function nodeState(words: string[]): { state: NodeState; note: string } {
  const flags = new Set(
    words.flatMap((word) => {
      const [, name = '', signs = ''] = /^([A-Z_]+)(.*)$/.exec(word.toUpperCase()) ?? []
      return [name, ...Array.from(signs, (sign) => marks[sign] ?? '')]
    }),
  )
  const any = (names: string[]) => names.some((name) => flags.has(name))
  // A node that is starting or powered off does not respond either, but is not down.
  const switched = any([...stopped, 'POWERING_UP'])
  if (any(switched ? down.slice(0, -1) : down))
    return { state: 'down', note: flags.has('NOT_RESPONDING') ? 'not responding' : '' }
  if (any(stopped)) return { state: 'offline', note: 'not started' }
  if (any(offline)) return { state: 'offline', note: any(busy) ? 'its jobs run to completion' : '' }
  if (any(busy)) return { state: 'busy', note: flags.has('POWERING_UP') ? 'starting' : '' }
  return { state: flags.has('IDLE') ? 'available' : 'unknown', note: '' }
}
