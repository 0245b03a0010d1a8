import { statfsSync, type StatsFs } from 'node:fs'

/**
 * What people may not use of the disk that holds the console's data: 5 % of it, from 1 to 5 GiB, and on small disks at
 * most a quarter. With less than that free, people's writes fail and the console's go on.
 */
const RESERVE = { share: 0.05, leastBytes: 1024 ** 3, mostBytes: 5 * 1024 ** 3, mostShare: 0.25 }

export interface Room {
  freeBytes: number
  reserveBytes: number
}

const roomIn = ({ bavail, blocks, bsize }: StatsFs): Room => ({
  freeBytes: bavail * bsize,
  reserveBytes: Math.min(
    Math.max(RESERVE.share * blocks * bsize, RESERVE.leastBytes),
    RESERVE.mostBytes,
    RESERVE.mostShare * blocks * bsize,
  ),
})

/** Does not wait for the disk: the kernel knows these numbers. */
export const roomOf = (folder: string): Room => roomIn(statfsSync(folder))

export const isLow = ({ freeBytes, reserveBytes }: Room): boolean => freeBytes < reserveBytes

export const LOW_DISK =
  "The disk of the console's machine is nearly full. Delete files that you no longer need, or ask an admin to make room, and try again."

// The last is PostgreSQL's.
const codes = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** Whether this says that a disk is full, be it the system or the database that says it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && codes.has(error.code)) return true
  return isDiskFull(error.cause)
}
