import { SchedulerError } from './error'

/*
 * Resource managers are untrusted, since anyone may attach one: their output must neither keep this server busy nor fill
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

/** More than any cluster has of what is counted; sums over many jobs must fit the database too. */
const COUNT_MAX = 10_000_000
const counts = new Set(['nodes', 'cores', 'coresUsed', 'allCores', 'gpus', 'gpusUsed', 'tasks'])

/** Longer than anyone reads. */
const TEXT_MAX = 4096
/** Names are also searched for, and an index takes none that are longer. */
const NAME_MAX = 256
const names = new Set(['user', 'account', 'partition'])
/** What the database takes neither in a text nor in JSON. */
const unstorable = /[\0\p{Surrogate}]/gu
/** Half of a list would be another one: what is longer is left out. */
const LIST_MAX = 200_000

/**
 * What is not a number becomes 0: JSON would keep it as null, and then no one could read the cluster again. What is too
 * large or too long is cut, and what no database stores is replaced.
 */
export function withinReason<T extends object>(one: T): T {
  for (const name in one) {
    const value: unknown = one[name]
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) Reflect.set(one, name, 0)
      else if (counts.has(name)) Reflect.set(one, name, Math.trunc(Math.min(Math.max(value, 0), COUNT_MAX)))
    } else if (typeof value === 'string') {
      const stored = shortened(name, value).replace(unstorable, '\ufffd')
      // To set what is the same as well takes twice as long, and there may be 10,000 jobs every second.
      if (stored !== value) Reflect.set(one, name, stored)
    }
  }
  return one
}

function shortened(name: string, value: string): string {
  if (name === 'nodeList') return value.length > LIST_MAX ? '' : value
  return value.slice(0, names.has(name) ? NAME_MAX : TEXT_MAX)
}

/** As all resource managers make them. An index takes no much longer one, and what is stored with it would be lost too. */
export const isJobId = (id: string): boolean => /^[!-~]{1,256}$/.test(id)

/** The end of the year 9999: what is later is no time. */
const LATEST_S = 253_402_300_799
/** Of seconds since 1970. */
export const milliseconds = (value: string | undefined): number | undefined => {
  const at = value === undefined ? Number.NaN : Number(value)
  return at >= 0 && at <= LATEST_S ? Math.round(at * 1000) : undefined
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
    found.push(withinReason(read(one)))
  }
  return found
}
