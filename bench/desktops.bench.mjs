// @ts-check
// Desktops through the console: the throughput of the bridge compared with a plain TCP relay, and the memory that a
// connected desktop needs. Lower DESKTOPS and DESKTOP_MB for a quick run.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../scripts/running/child.mjs'
import { freePort, median, print } from './support/server.mjs'

const { WebSocket } = createRequire(join(root, 'apps/server/package.json'))('ws')
const ROUNDS = 9
const BYTES = Number(process.env.DESKTOP_MB ?? 512) * 1024 * 1024
const DESKTOPS = Number(process.env.DESKTOPS ?? 50)
/** How much of each desktop is received before memory is measured. */
const SEEN_BYTES = 8 * 1024 * 1024

const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-desktops-'))
const folder = join(home, '.flotilla/desktops/measured')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'run'), '')
const [tcpPort, plainPort] = await Promise.all([freePort(), freePort()])
/** @type {import('node:child_process').ChildProcess[]} */
const children = []
try {
  start('source', join(folder, 'rfb.sock'), tcpPort, BYTES)
  start('plain', plainPort, tcpPort)
  // The goal is for the console and the network, and excludes the relay's copy on the cluster and the cost of SSH.
  for (const relayed of [false, true]) {
    const port = await freePort()
    const bridge = start('bridge', port, 'measured', relayed ? 'relayed' : 'direct')
    await until(() => memoryOfConsole(port))
    await throughput(port, relayed)
    await memory(port, bridge.pid ?? 0, relayed)
  }
} finally {
  for (const child of children) child.kill()
  rmSync(home, { recursive: true, force: true })
}

/** @param {...(string | number)} args */
function start(...args) {
  const program = join(root, 'bench/support/desktop-relays.mjs')
  const child = spawn(process.execPath, ['--expose-gc', program, ...args.map(String)], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  children.push(child)
  return child
}

/** @param {number} port @param {boolean} relayed */
async function throughput(port, relayed) {
  /** @type {{ plain: number[], bridge: number[] }} */
  const times = { plain: [], bridge: [] }
  // The first run of each is a warm-up.
  await readPlain()
  await readBridged(port)
  for (let round = 0; round < ROUNDS; round++) {
    times.plain.push(await readPlain())
    times.bridge.push(await readBridged(port))
  }
  const [plain, bridged] = [speed(times.plain), speed(times.bridge)]
  // The median of the rounds' ratios, because the machine may be slower in some rounds.
  const ratios = times.plain.map((time, round) => time / (times.bridge[round] ?? time))
  const ratio = Math.round(median(ratios) * 100) / 100
  print({
    measure: `desktop bridge${relayed ? ' by a relay on the cluster' : ''}, one viewer (median of ${ROUNDS})`,
    value: Math.round(bridged),
    unit: 'MB/s',
    beside: `plain TCP relay ${Math.round(plain)} MB/s`,
    ratio,
    ...(!relayed && { goal: '>= 0.8', ok: ratio >= 0.8 }),
  })
}

/** @param {number[]} times */
function speed(times) {
  return BYTES / 1024 ** 2 / (median(times) / 1000)
}

/** Milliseconds from the first to the last byte, which are only counted. @param {import('node:net').Socket} socket */
function counted(socket) {
  return new Promise((resolve, reject) => {
    let [seen, begun] = [0, 0]
    socket.once('error', reject)
    socket.on('data', (data) => {
      begun ||= performance.now()
      seen += data.length
      if (seen < BYTES) return
      socket.destroy()
      resolve(performance.now() - begun)
    })
  })
}
function readPlain() {
  return counted(connect(plainPort, '127.0.0.1'))
}
/** @param {number} port */
async function readBridged(port) {
  return counted(raw(await view(port)))
}

/** The socket of a WebSocket, whose bytes are only counted. @param {any} socket @returns {import('node:net').Socket} */
function raw(socket) {
  const { _socket: below } = socket
  below.removeAllListeners('data')
  return below
}

/** Completes the handshake; the connection stays open and is not read. @param {number} port @returns {Promise<any>} */
function view(port) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`)
    const answers = [Buffer.from('RFB 003.008\n'), Buffer.from([1]), Buffer.from([1])]
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the bridge closed the connection')))
    socket.on('message', () => {
      const answer = answers.shift()
      if (!answer) return
      // Nothing is sent before the last response, so nothing is lost.
      if (answers.length === 0) resolve(socket)
      socket.send(answer)
    })
  })
}

/** @param {number} port @param {number} pid @param {boolean} relayed */
async function memory(port, pid, relayed) {
  const before = await memoryOfConsole(port)
  const open = []
  for (let at = 0; at < DESKTOPS; at++) {
    const socket = raw(await view(port))
    let seen = 0
    // Simulates a browser that stops reading, so that all buffers fill up.
    socket.on('data', (data) => (seen += data.length) > SEEN_BYTES && socket.pause())
    open.push(socket)
  }
  await pause(3000)
  const [after, relays] = [await memoryOfConsole(port), relaysOf(pid)]
  for (const socket of open) socket.destroy()
  const each = (after - before) / DESKTOPS / 1024 ** 2
  const relay = relays / DESKTOPS / 1024 ** 2
  print({
    measure: `memory of each of ${DESKTOPS} connected desktops${relayed ? ' by a relay' : ''}, in the console`,
    value: Math.round(each * 100) / 100,
    unit: 'MB',
    ...(relayed && { beside: `its relay on the cluster ${Math.round(relay * 100) / 100} MB` }),
    goal: '< 5 MB',
    ok: each < 5,
  })
}

/** @param {number} port */
async function memoryOfConsole(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/collect`)
  return Number((await answer.json()).rss)
}

/** The memory of a process's children; shared memory is counted once. @param {number} parent */
function relaysOf(parent) {
  const parents = new Map()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      parents.set(Number(pid), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended in the meantime.
    }
  const isBelow = (/** @type {number} */ pid) => {
    for (let at = parents.get(pid); at; at = parents.get(at)) if (at === parent) return true
    return false
  }
  let bytes = 0
  for (const pid of [...parents.keys()].filter(isBelow)) {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    bytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024
  }
  return bytes
}

/** @param {() => Promise<unknown>} work */
async function until(work) {
  for (let tries = 0; ; tries++) {
    const done = await work().then(
      () => true,
      () => false,
    )
    if (done) return
    if (tries > 600) throw new Error('the bridge did not start')
    await pause(100)
  }
}
