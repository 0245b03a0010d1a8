/** A run, by the console or a user, that brought nodes up or removed them. Lists of them are newest first. */
export interface EndedRun {
  action: 'deployNode' | 'destroyNode'
  nodes: string[]
  endedAt: number
  /** Why it failed. */
  cause: string | null
}

/** What failed, how many times in a row, and when it is retried. */
export interface Breaker {
  failures: number
  failedAt: number
  retryAt: number
  cause: string
}

/** After this many failures in a row, the user is notified. */
const PAUSES_AFTER = 3
const SECOND = 1000
const MINUTE = 60 * SECOND
const MOST = 60 * MINUTE

/**
 * The wait is short at first, as many cloud errors are transient. From the third failure on it is minutes and doubles
 * each time.
 */
const waitAfter = (failures: number): number =>
  failures < PAUSES_AFTER
    ? failures * 10 * SECOND
    : Math.min(5 * MINUTE * 2 ** (failures - PAUSES_AFTER), MOST)

/** Failures since the last success. */
function breakerOf(runs: EndedRun[]): Breaker | null {
  const success = runs.findIndex(({ cause }) => cause === null)
  const failed = success === -1 ? runs : runs.slice(0, success)
  const [last] = failed
  if (!last) return null
  const failures = failed.length
  return {
    failures,
    failedAt: last.endedAt,
    retryAt: last.endedAt + waitAfter(failures),
    cause: last.cause ?? '',
  }
}

export interface Breakers {
  /** For bringing nodes up, by group. */
  up: Map<number, Breaker>
  down: Breaker | null
}

export function breakersOf(runs: EndedRun[], groupOf: (node: string) => number | undefined): Breakers {
  const ups = runs.filter(({ action }) => action === 'deployNode')
  const groups = new Set(ups.flatMap(({ nodes }) => nodes.map(groupOf)))
  const up = new Map<number, Breaker>()
  for (const group of groups) {
    if (group === undefined) continue
    const breaker = breakerOf(ups.filter(({ nodes }) => nodes.some((name) => groupOf(name) === group)))
    if (breaker) up.set(group, breaker)
  }
  return { up, down: breakerOf(runs.filter(({ action }) => action === 'destroyNode')) }
}

export const pausedGroups = ({ up }: Breakers, now: number): Set<number> =>
  new Set([...up].filter(([, { retryAt }]) => now < retryAt).map(([group]) => group))

const clock = (at: number) => `${new Date(at).toISOString().slice(11, 16)} UTC`

/** The text for users; null when nothing is paused for long. */
export function describePause({ up, down }: Breakers, now: number): string | null {
  const isPaused = ({ failures, retryAt }: Breaker) => failures >= PAUSES_AFTER && now < retryAt
  const reasonText = ({ failures, retryAt, cause }: Breaker) =>
    `after ${failures} failures in a row. The next attempt is at ${clock(retryAt)}, or when you change the burst mode. Last failure: ${cause}`
  return (
    [
      ...[...up]
        .filter(([, breaker]) => isPaused(breaker))
        .map(([group, breaker]) => `Not starting nodes in group ${group + 1} ${reasonText(breaker)}`),
      ...(down && isPaused(down) ? [`Not removing nodes ${reasonText(down)}`] : []),
    ].join('\n') || null
  )
}
