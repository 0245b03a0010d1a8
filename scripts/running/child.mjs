// @ts-check
// Child processes that end with this process, and progress output.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** @param {string} line */
export function say(line) {
  process.stdout.write(line + '\n')
}

/**
 * The message of anything that was thrown, which need not be an error.
 * @param {unknown} error
 */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error))

/**
 * Prints a failure without its stack trace and ends this process.
 * @param {unknown} error
 * @returns {never}
 */
export function fail(error) {
  process.stderr.write(`\n${messageOf(error)}\n`)
  process.exit(1)
}

/**
 * The path of an installed npm package's command, to be run by the current Node.
 * @param {string} name
 */
export function tool(name) {
  return join(root, 'node_modules', '.bin', name)
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** Whether this process was asked to stop and is waiting for its children. */
export let stopping = false

/** @param {NodeJS.Signals} signal */
function stopEverything(signal) {
  stopping = true
  for (const child of running) child.kill('SIGTERM')
  // A second signal while waiting ends everything at once.
  const leave = () => {
    for (const child of running) child.kill('SIGKILL')
    process.exit(signal === 'SIGINT' ? 130 : 143)
  }
  for (const name of signals) process.removeListener(name, stopEverything).once(name, leave)
  setTimeout(leave, 4000).unref()
  const watch = setInterval(() => running.size === 0 && (clearInterval(watch), leave()), 50)
}

/**
 * Makes a child end when this process is asked to stop. The listeners are only installed while there are children, so
 * that a server that is imported into this process afterward handles the signals alone.
 * @template {import('node:child_process').ChildProcess} T
 * @param {T} child
 * @returns {T}
 */
export function keep(child) {
  if (running.size === 0) for (const name of signals) process.on(name, stopEverything)
  running.add(child)
  const gone = () => {
    running.delete(child)
    if (running.size === 0) for (const name of signals) process.removeListener(name, stopEverything)
  }
  child.once('exit', gone)
  child.once('error', gone)
  return child
}

/** Whether to show output as it arrives; a string prefixes each line. @typedef {boolean | string} Show */

/**
 * Runs a command until it exits. Its output is shown or, by default, collected.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: Show }} [options]
 * @returns {Promise<{ code: number, output: string, seconds: number }>}
 */
export function run(command, args, { cwd = root, env = process.env, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const begun = Date.now()
    const child = keep(
      spawn(command, args, { cwd, env, stdio: show === true ? 'inherit' : ['ignore', 'pipe', 'pipe'] }),
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      if (stream && show) createInterface({ input: stream }).on('line', (line) => say(show + line))
      else stream?.setEncoding('utf8').on('data', (text) => (output += text))
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve({ code: code ?? (signal ? 1 : 0), output, seconds: (Date.now() - begun) / 1000 })
    })
  })
}

/**
 * Runs an npm package's command.
 * @param {string} name
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function runTool(name, args, options) {
  return run(process.execPath, [tool(name), ...args], options)
}

/** The progress lines of everything in progress. @type {Set<() => string>} */
const ongoing = new Set()
const redraw = () => process.stdout.write(`\r\x1b[2K${[...ongoing].map((line) => line()).join(' · ')}`)

/**
 * Shows the progress of a long operation: on a terminal, in one line that is redrawn; otherwise as a line every few
 * seconds, because a build log without output looks as if the build were stuck.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @param {() => string} [detail]
 * @returns {Promise<T>}
 */
export async function progress(what, work, detail = () => '') {
  const begun = Date.now()
  const terminal = process.stdout.isTTY
  const line = () => {
    const more = detail()
    return `${what} ... ${Math.round((Date.now() - begun) / 1000)} s${more ? `, ${more}` : ''}`
  }
  if (!terminal) say(`${what} ...`)
  ongoing.add(line)
  const timer = setInterval(() => (terminal ? redraw() : say(line())), terminal ? 250 : 5000)
  let how = 'failed after'
  try {
    const result = await work()
    how = 'done in'
    return result
  } finally {
    clearInterval(timer)
    ongoing.delete(line)
    if (terminal) process.stdout.write('\r\x1b[2K')
    say(`${what}: ${how} ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  }
}
