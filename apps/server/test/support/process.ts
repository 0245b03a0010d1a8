import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { until } from './until'

// Inside the package, so that the built program finds its dependencies.
const built = fileURLToPath(new URL('../../.cache/test', import.meta.url))

/** The server's program as the build makes it, in a folder of this run. */
export async function buildProgram(): Promise<{ file: string; remove(): Promise<void> }> {
  const dir = path.join(built, `server-${process.pid}`)
  await mkdir(dir, { recursive: true })
  const bundle = await rolldown({
    input: { main: fileURLToPath(new URL('../../src/main.ts', import.meta.url)) },
    platform: 'node',
    external: (id) => /^[a-z@]/i.test(id) && !id.startsWith('@flotilla/'),
  })
  await bundle.write({ dir, format: 'esm' })
  await bundle.close()
  return { file: path.join(dir, 'main.js'), remove: () => rm(dir, { recursive: true, force: true }) }
}

export type Program = {
  out(): string
  errors(): string
  /** Resolves when it says that it is ready; rejects when it ends before. */
  ready: Promise<void>
  ended: Promise<{ code: number | null; signal: string | null }>
  signal(name: 'SIGTERM' | 'SIGKILL'): void
}

/** Runs the program with this environment and nothing else of ours. */
export function runProgram(file: string, env: Record<string, string>): Program {
  const child = spawn(process.execPath, [file], {
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
    if (over && !out.includes('is ready at')) throw new Error(`the server ended: ${out}${errors}`)
    return out.includes('Ctrl+C')
  }).then(() => {})
  // Whoever does not wait for it does not care either.
  ready.catch(() => {})
  return { out: () => out, errors: () => errors, ready, ended, signal: (name) => void child.kill(name) }
}
