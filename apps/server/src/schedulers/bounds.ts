import { SchedulerError } from './error'

/*
 * Resource managers are untrusted, since any user may attach one: their output must neither keep this server busy nor
 * fill its memory.
 */

/** More nodes than any cluster has. */
export const NODES_MAX = 100_000
/** More jobs than the queue of any cluster has. */
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

/** The limit for all counts: more than any cluster has, and small enough that sums over many jobs fit the database. */
const COUNT_MAX = 10_000_000
const counts = new Set(['nodes', 'cores', 'coresUsed', 'allCores', 'gpus', 'gpusUsed', 'tasks'])

/** The maximum length of texts that are shown. */
const TEXT_MAX = 4096
/** The maximum length of names, which are indexed for searches. */
const NAME_MAX = 256
const names = new Set(['user', 'account', 'partition'])
/** Characters that the database accepts neither in text nor in JSON. */
const unstorable = /[\0\p{Surrogate}]/gu
/** A truncated list would name other nodes, so a longer one is omitted. */
const LIST_MAX = 200_000

/**
 * Sanitizes values in place. NaN and Infinity become 0, since JSON would store null, which later fails validation.
 * Values that are too large or too long are cut, and characters that the database rejects are replaced.
 */
export function withinReason<T extends object>(one: T): T {
  for (const name in one) {
    const value: unknown = one[name]
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) Reflect.set(one, name, 0)
      else if (counts.has(name)) Reflect.set(one, name, Math.trunc(Math.min(Math.max(value, 0), COUNT_MAX)))
    } else if (typeof value === 'string') {
      const stored = shortened(name, value).replace(unstorable, '\ufffd')
      // Setting unchanged values too would take twice as long, and there may be 10,000 jobs per second.
      if (stored !== value) Reflect.set(one, name, stored)
    }
  }
  return one
}

function shortened(name: string, value: string): string {
  if (name === 'nodeList') return value.length > LIST_MAX ? '' : value
  return value.slice(0, names.has(name) ? NAME_MAX : TEXT_MAX)
}

/** Whether the id is plausible. A much longer one would not fit an index, so storing it would fail. */
export const isJobId = (id: string): boolean => /^[!-~]{1,256}$/.test(id)

/** The end of the year 9999; later values are not times. */
const LATEST_S = 253_402_300_799
/** Converts seconds since 1970. */
export const milliseconds = (value: string | undefined): number | undefined => {
  const at = value === undefined ? Number.NaN : Number(value)
  return at >= 0 && at <= LATEST_S ? Math.round(at * 1000) : undefined
}

/** Reads at most the allowed number of items and throws if there are more. */
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
