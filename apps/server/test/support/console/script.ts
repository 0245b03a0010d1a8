import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { onTestFinished } from 'vitest'
import { until } from '../until'

// The folder is inside the package, so that the built script finds its dependencies.
const built = fileURLToPath(new URL('../../../.cache/test', import.meta.url))

export interface Script {
  child: ChildProcess
  /** The lines printed so far. */
  lines: string[]
  /** Waits for the first line with this prefix; rejects if the script ends without it. */
  line(start: string): Promise<string>
  /** Waits for the process to end and returns the signal that ended it, if one did. */
  end(): Promise<NodeJS.Signals | null>
  /** Kills the process with SIGKILL and waits for it to end. */
  kill(): Promise<void>
}

/** Runs a TypeScript file of test/scripts in a process of its own, for tests in which a server is killed. */
export async function runScript(name: string, env: Record<string, string>): Promise<Script> {
  await mkdir(built, { recursive: true })
  const file = path.join(built, `${name}-${process.pid}.mjs`)
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`../../scripts/${name}.ts`, import.meta.url)),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id) && !id.startsWith('@flotilla/'),
  })
  await bundle.write({ file, format: 'esm' })
  await bundle.close()

  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ended = () => child.exitCode !== null || child.signalCode !== null
  const kill = async () => {
    if (!ended()) child.kill('SIGKILL')
    await gone
    await rm(file, { force: true })
  }
  onTestFinished(kill)
  return {
    child,
    lines,
    line: (start) =>
      until(() => {
        const found = lines.find((line) => line.startsWith(start))
        if (found === undefined && ended())
          throw new Error(`${name} ended without "${start}": ${lines.join(' | ')}`)
        return found
      }),
    end: async () => {
      await gone
      return child.signalCode
    },
    kill,
  }
}
