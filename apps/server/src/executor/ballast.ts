import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Room } from '../disk/disk-room'

const MOST_BYTES = 64 * 1024 ** 2
const MOST_INODES = 50

/**
 * A preallocated part of the disk's reserve. A job can use up all free space between two checks (`fallocate` takes
 * no time); the console then continues with the space released here.
 */
export class Ballast {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = path.join(folder, 'reserved-room')
  }

  /** Allocates the ballast if there is room for it. */
  hold(room: Room): void {
    if (existsSync(this.#folder)) return
    const { bytes, inodes } = sizeOf(room)
    if (room.freeBytes - room.reserveBytes < bytes || room.freeInodes - room.reserveInodes < inodes) return
    try {
      mkdirSync(this.#folder, { mode: 0o700 })
      for (let count = 0; count < inodes; count++) writeFileSync(path.join(this.#folder, `${count}`), '')
      execFileSync('fallocate', ['-l', String(bytes), path.join(this.#folder, 'bytes')], { stdio: 'ignore' })
    } catch {
      // On a file system that cannot preallocate, only the reserve remains.
    }
  }

  release(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const sizeOf = ({ reserveBytes, reserveInodes }: Pick<Room, 'reserveBytes' | 'reserveInodes'>) => ({
  bytes: Math.floor(Math.min(MOST_BYTES, reserveBytes / 16)),
  inodes: Math.floor(Math.min(MOST_INODES, reserveInodes / 16)),
})
