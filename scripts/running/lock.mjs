// @ts-check
// One process at a time: two `npm start` at once must not both install or build.
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

// The holder touches its file while it works. A file left untouched this long has lost its holder, even when
// its number now belongs to some other process (numbers start again in a new container).
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
 * Takes the file, or says who has it. A file whose holder is gone is moved away first.
 * @param {string} file
 * @returns {number | undefined} the holder, when it is someone else
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
    // An empty file is one that its holder is just about to write.
    const held = age < deadAfterMs && (holder === 0 || alive(holder))
    if (held) return holder
    const aside = `${file}.${process.pid}`
    renameSync(file, aside)
    // Someone may have been quicker, and what was moved is already the new holder's: it is put back.
    if (Number(readFileSync(aside, 'utf8')) !== holder) linkSync(aside, file)
    rmSync(aside)
  } catch (error) {
    // Gone between the two looks: the next round takes it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return -1
}

/**
 * Does the work while holding the file; waits for the current holder.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: number) => void} [waiting] called once, when someone else holds it
 * @returns {Promise<T>}
 */
export async function alone(file, work, waiting = () => {}) {
  mkdirSync(dirname(file), { recursive: true })
  let told = false
  for (let holder = take(file); holder !== undefined; holder = take(file)) {
    if (holder > 0 && !told) {
      waiting(holder)
      told = true
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
