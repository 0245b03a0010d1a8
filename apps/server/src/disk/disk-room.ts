import { statfsSync, type StatsFs } from 'node:fs'

/**
 * The part of the disk with the console's data that users may not use: 5 % of it, from 1 to 5 GiB, and on small disks
 * at most a quarter. With less than that free, users' writes fail and the console's continue. Each file and folder
 * takes an inode, however small it is, so a share of them is reserved too.
 */
const RESERVE = { share: 0.05, leastBytes: 1024 ** 3, mostBytes: 5 * 1024 ** 3, mostShare: 0.25 }
const MOST_INODES = 20_000

export interface Room {
  freeBytes: number
  reserveBytes: number
  /** Infinity on a file system that allocates inodes on demand. */
  freeInodes: number
  reserveInodes: number
}

const roomIn = ({ bavail, blocks, bsize, files, ffree }: StatsFs): Room => ({
  freeBytes: bavail * bsize,
  reserveBytes: Math.min(
    Math.max(RESERVE.share * blocks * bsize, RESERVE.leastBytes),
    RESERVE.mostBytes,
    RESERVE.mostShare * blocks * bsize,
  ),
  freeInodes: files > 0 ? ffree : Infinity,
  reserveInodes: Math.min(RESERVE.share * files, MOST_INODES),
})

/** Synchronous, because it does not wait for the disk: the kernel has these numbers. */
export const roomOf = (folder: string): Room => roomIn(statfsSync(folder))

export const isLow = ({ freeBytes, reserveBytes, freeInodes, reserveInodes }: Room): boolean =>
  freeBytes < reserveBytes || freeInodes < reserveInodes

/** Whether most of the reserve is used up too, so someone bypassed the limits that protect it. */
export const isVeryLow = ({ freeBytes, reserveBytes, freeInodes, reserveInodes }: Room): boolean =>
  freeBytes < reserveBytes / 4 || freeInodes < reserveInodes / 4

export const LOW_DISK =
  'The console’s disk is nearly full. Delete files you no longer need or ask an admin to free up space, then try again.'

// The last code is PostgreSQL's.
const codes = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** Whether an error of the system or of the database means that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && codes.has(error.code)) return true
  return isDiskFull(error.cause)
}
