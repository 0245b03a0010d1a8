import { readFileSync } from 'node:fs'
import { isLow, isVeryLow, LOW_DISK, roomOf } from '../disk/disk-room'
import { Ballast } from './ballast'
import { usage, type UsedBy } from './processes'

/** A job or terminal of a person. */
export interface Watched {
  /** What all of its processes descend from. */
  pid: number
  memoryMb: number
  /** Ends it for this reason. */
  end(reason: string): void
}

const MEMORY_MS = 1_000
/** As fast as a disk may fill, in bytes a millisecond: the less room there is, the more often we look. */
const FASTEST = 4_000_000
const DISK_CHECK_MS = { least: 10, most: 1_000, low: 250 }
/** Between two checks of a disk that is low on space: a job that writes more than this is ended. */
const MUCH_BYTES = 256 * 1024

/**
 * Limits what the kernel does not limit on its own: the memory that all processes of a job use together, and the disk
 * that they share with the console.
 */
export class Watch {
  readonly #folder: string
  readonly #watched: () => Iterable<Watched>
  readonly #ballast: Ballast
  #written = new Map<number, number>()
  #timers: NodeJS.Timeout[] = []

  /** `folder`: where the disk is that must not fill up. */
  constructor(folder: string, watched: () => Iterable<Watched>) {
    this.#folder = folder
    this.#ballast = new Ballast(folder)
    this.#watched = watched
  }

  start(): void {
    this.#timers = [setInterval(() => this.#checkMemory(), MEMORY_MS).unref()]
    this.#checkDisk()
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #checkMemory(): void {
    for (const [one, used] of this.#used()) {
      // Pages that processes share are counted for each of them, so a second look is needed; it takes longer.
      if (used.memoryMb <= one.memoryMb || ownMemoryMb(used.pids) <= one.memoryMb) continue
      end(one, used, `Stopped because it used more than its ${Math.round(one.memoryMb)} MB of memory`)
    }
  }

  #checkDisk(): void {
    const next = (ms: number) => (this.#timers[1] = setTimeout(() => this.#checkDisk(), ms).unref())
    let room
    try {
      room = roomOf(this.#folder)
    } catch {
      // Gone, or about to be.
      return void next(DISK_CHECK_MS.most)
    }
    if (isVeryLow(room)) {
      // The culprit cannot be determined: preallocated space and folders are not attributed to any process.
      const all = this.#used()
      // Stopped at first, so that they cannot take what is released for the reason of their end to be written.
      for (const [, used] of all) signal(used, 'SIGSTOP')
      this.#ballast.release()
      for (const [one, used] of all) end(one, used, LOW_DISK)
      return void next(DISK_CHECK_MS.low)
    }
    if (!isLow(room)) {
      this.#ballast.hold(room)
      this.#written.clear()
      const headroom = (room.freeBytes - room.reserveBytes) / FASTEST
      return void next(Math.min(DISK_CHECK_MS.most, Math.max(DISK_CHECK_MS.least, headroom)))
    }
    const first = this.#written.size === 0
    const found = this.#endWriters()
    next(first || found ? DISK_CHECK_MS.least : DISK_CHECK_MS.low)
  }

  /** Ends those that have written much since the last look. What a process wrote that is new counts in full. */
  #endWriters(): boolean {
    const before = this.#written
    const isFirst = before.size === 0
    this.#written = new Map()
    let found = false
    for (const [one, used] of this.#used()) {
      let much = 0
      for (const pid of used.pids) {
        const written = writtenBy(pid)
        this.#written.set(pid, written)
        much += written - (before.get(pid) ?? (isFirst ? written : 0))
      }
      if (much <= MUCH_BYTES) continue
      found = true
      end(one, used, LOW_DISK)
    }
    return found
  }

  #used(): [Watched, UsedBy][] {
    const watched = new Map([...this.#watched()].map((one) => [one.pid, one]))
    if (watched.size === 0) return []
    return [...usage(new Set(watched.keys()))].flatMap(([pid, used]): [Watched, UsedBy][] => {
      const one = watched.get(pid)
      return one ? [[one, used]] : []
    })
  }
}

/** Its processes immediately, without waiting for its supervisor. */
function end(one: Watched, used: UsedBy, reason: string): void {
  one.end(reason)
  signal(used, 'SIGKILL')
}

function signal({ pids }: UsedBy, name: 'SIGSTOP' | 'SIGKILL'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // Gone in this moment.
    }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** With each page counted once, in MB. */
const ownMemoryMb = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    0,
  ) / 1024

/** To files, by calls or by memory that is one; pipes count too, which hardly matters. */
function writtenBy(pid: number): number {
  const io = read(`/proc/${pid}/io`)
  const value = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? 0)
  return Math.max(value('wchar'), value('write_bytes'))
}
