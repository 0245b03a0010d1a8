// @ts-check
// Creates a temporary folder for everything that one test run writes, and cleans up after killed runs: servers,
// executors and databases outlive their parents on purpose, and would slow down all later runs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The prefix is short because paths of sockets are limited to 107 bytes. The number is the pid of the test run. */
const pattern = /^flotilla-run-(\d+)/
const places = () => [tmpdir(), '/dev/shm'].filter((place) => existsSync(place))

/** Cleans up after earlier runs, and creates the folder of this one. @returns {Promise<string>} */
export async function openRunFolder() {
  for (const place of places())
    for (const name of readdirSync(place)) {
      const pid = Number(pattern.exec(name)?.[1])
      if (pid && !existsSync(`/proc/${pid}`)) await clear(join(place, name))
    }
  const folder = join(tmpdir(), `flotilla-run-${process.pid}`)
  await clear(folder)
  mkdirSync(folder, { mode: 0o755 })
  return folder
}

/**
 * Kills every process that uses the folder, unmounts everything in it and removes it.
 * @param {string} folder
 */
export async function clear(folder) {
  for (let tries = 0; tries < 20; tries++) {
    const pids = processesOf(folder)
    for (const pid of pids) kill(pid)
    if (pids.length === 0) break
    await pause(100)
  }
  for (const mount of mountsIn(folder).toReversed()) spawnSync('umount', ['-l', mount])
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/** @param {string} folder */
const processesOf = (folder) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const read = (/** @type {string} */ file) =>
        ifThere(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'))
      const cwd = ifThere(() => readlinkSync(`/proc/${pid}/cwd`))
      return [`${cwd}/`, read('cmdline'), read('environ')].some((text) => text.includes(`${folder}/`))
    })
    .map(Number)

/** @param {string} folder */
const mountsIn = (folder) =>
  ifThere(() => readFileSync('/proc/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`))

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

/** @param {() => string} read */
function ifThere(read) {
  try {
    return read()
  } catch {
    return ''
  }
}
