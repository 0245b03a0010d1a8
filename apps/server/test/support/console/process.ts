import { spawn } from 'node:child_process'
import path from 'node:path'
import { inject } from 'vitest'
import { until } from '../until'

export type Program = {
  out(): string
  errors(): string
  /** Resolves when the server prints that it is ready; rejects if it ends before that. */
  ready: Promise<void>
  ended: Promise<{ code: number | null; signal: string | null }>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

/** Runs the built server with only this environment. */
export function runProgram(env: Record<string, string>): Program {
  const child = spawn(process.execPath, [path.join(inject('consoleFolder'), 'main.js')], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  let over = false
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => {
      over = true
      resolve({ code, signal })
    }),
  )
  const ready = until(() => {
    if (over && !out.includes('is ready at')) throw new Error(`the server ended: ${errors.trim()}\n${out}`)
    return out.includes('Ctrl+C')
  }).then(() => {})
  // A test that does not await this ignores its rejection.
  ready.catch(() => {})
  return { out: () => out, errors: () => errors, ready, ended, signal: (name) => void child.kill(name) }
}
