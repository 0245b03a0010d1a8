import { readFileSync } from 'node:fs'
import { isLow, isVeryLow, LOW_DISK, roomOf } from '../disk/disk-room'
import { Ballast } from './ballast'
import { usage, type UsedBy } from './processes'

/** A job or terminal of a user. */
export interface Watched {
  /** The ancestor of all of its processes. */
  pid: number
  memoryMb: number
  /** Ends it for this reason. */
  end(reason: string): void
}

const MEMORY_MS = 1_000
/** The assumed maximum write rate in bytes per millisecond; the less free space, the more frequent the checks. */
const FASTEST = 4_000_000
const DISK_CHECK_MS = { least: 10, most: 1_000, low: 250 }
/** While the disk is low on space, a job that writes more than this between two checks is ended. */
const MUCH_BYTES = 256 * 1024

/**
 * Enforces what the kernel does not limit by itself: the total memory of a job's processes, and the disk space that
 * jobs share with the console.
 */
export class Watch {
  readonly #folder: string
  readonly #watched: () => Iterable<Watched>
  readonly #ballast: Ballast
  #written = new Map<number, number>()
  #timers: NodeJS.Timeout[] = []

  /** `folder`: a folder on the disk that must not fill up. */
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
      // This sum counts shared pages once per process; the exact sum is slower, so it is computed only if needed.
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
      // The folder has been removed.
      return void next(DISK_CHECK_MS.most)
    }
    if (isVeryLow(room)) {
      // The culprit cannot be determined: preallocated space and folders are not attributed to any process.
      const all = this.#used()
      // They are stopped first, so that they cannot use up the released space, which is needed to record the reason.
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

  /** Ends jobs that wrote a lot since the last check. All that a new process has written counts. */
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

/** Kills its processes immediately, without waiting for its supervisor. */
function end(one: Watched, used: UsedBy, reason: string): void {
  one.end(reason)
  signal(used, 'SIGKILL')
}

function signal({ pids }: UsedBy, name: 'SIGSTOP' | 'SIGKILL'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // The process has just exited.
    }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** The memory in MB with shared pages divided among the processes (PSS). */
const ownMemoryMb = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    0,
  ) / 1024

/** The bytes written to files, by system calls or through memory mappings; pipes count too, which hardly matters. */
function writtenBy(pid: number): number {
  const io = read(`/proc/${pid}/io`)
  const value = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? 0)
  return Math.max(value('wchar'), value('write_bytes'))
}
