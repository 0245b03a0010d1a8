import { SchedulerError } from './error'

/*
 * A resource manager is someone else's, and anyone may attach one: what it says must not keep this server busy, nor fill
 * its memory.
 */

/** More than any cluster has. */
export const NODES_MAX = 100_000
/** More than any cluster holds in its queue. */
const JOBS_MAX = 500_000

const most = { nodes: NODES_MAX, jobs: JOBS_MAX }

export const tooMany = (what: keyof typeof most): SchedulerError =>
  new SchedulerError(
    'unknown',
    `The resource manager reports more than ${most[what].toLocaleString('en')} ${what}, which is implausible. Check the head node.`,
  )

export function bounded<T>(what: keyof typeof most, all: readonly T[]): readonly T[] {
  if (all.length > most[what]) throw tooMany(what)
  return all
}

/** What is not a number becomes 0: JSON would keep it as null, and then no one could read the cluster again. */
function withNumbers<T extends object>(one: T): T {
  for (const name in one)
    if (typeof one[name] === 'number' && !Number.isFinite(one[name])) Reflect.set(one, name, 0)
  return one
}

/** As many as there may be, and not one more is read. */
export function readBounded<T, R extends object>(
  what: keyof typeof most,
  all: Iterable<T>,
  read: (one: T) => R,
): R[] {
  const found: R[] = []
  for (const one of all) {
    if (found.length === most[what]) throw tooMany(what)
    found.push(withNumbers(read(one)))
  }
  return found
}
