// @ts-check
// Mutual exclusion between processes: two `npm start` at the same time must not both install or build.
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

// The holder touches its file while it works. If a file is not touched for this long, its holder has ended, even if
// another process now has its pid (pids start over in a new container).
const deadAfterMs = 30_000

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Takes the lock file, or returns its holder. A file whose holder has ended is moved aside first.
 * @param {string} file
 * @returns {number | undefined} the pid of the holder, if it is another process
 */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return undefined
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  try {
    const holder = Number(readFileSync(file, 'utf8'))
    const age = Date.now() - statSync(file).mtimeMs
    // A new file is empty until its holder writes its pid.
    const held = age < deadAfterMs && (holder === 0 || alive(holder))
    if (held) return holder
    const aside = `${file}.${process.pid}`
    renameSync(file, aside)
    // Another process may have been faster, in which case the moved file is the new holder's and is restored.
    if (Number(readFileSync(aside, 'utf8')) !== holder) linkSync(aside, file)
    rmSync(aside)
  } catch (error) {
    // The file disappeared in the meantime: the next attempt takes it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return -1
}

/**
 * Does the work while holding the lock; waits for the current holder.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: number) => void} [waiting] called once if another process holds it
 * @returns {Promise<T>}
 */
export async function alone(file, work, waiting = () => {}) {
  mkdirSync(dirname(file), { recursive: true })
  let reported = false
  for (let holder = take(file); holder !== undefined; holder = take(file)) {
    if (holder > 0 && !reported) {
      waiting(holder)
      reported = true
    }
    await pause(holder === -1 ? 10 : 200)
  }
  const release = () => rmSync(file, { force: true })
  const touch = setInterval(() => utimesSync(file, new Date(), new Date()), 2000)
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(touch)
    process.removeListener('exit', release)
    release()
  }
}
