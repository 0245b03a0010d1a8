import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { writeDurably } from '@flotilla/system/durable-file'
import { terminator, type Timeouts } from '../process/cancel'
import { EngineError, foundOnce, type EngineProgram, type Following } from '../engine'
import { secretsOf } from '../process/environment'
import type { Diagnostic } from '../tofu/events'
import { failureOf } from '../tofu/failure'
import { limit } from '../process/limit'
import { parsePackerLine, OPEN, type Artifact } from './output'
import { findDetached, startDetached, type EngineProcess } from '../process/process'
import { redactor } from '../process/redact'

/** On SIGTERM, Packer removes the machine that it created, which takes a while. */
const timeouts: Timeouts = { interruptMs: 10 * 60_000, againMs: 30_000, signal: 'SIGTERM' }

/** The build stays open for manual changes as long as its folder contains this file. */
const WAITING = 'waiting-for-people'

/**
 * A provisioner that keeps a build open: it runs on the console's own machine, so neither the connection to the built
 * machine nor the server has to stay up in the meantime, and it ends if its folder is removed. Its first output says
 * how to log in.
 */
export const pauseForManualChanges = {
  type: 'shell-local',
  inline: [
    `echo '${OPEN} {{build \`Host\`}} {{user \`ssh_username\`}}'`,
    `while [ -e "$FLOTILLA_BUILD/${WAITING}" ]; do sleep 1; done`,
  ],
}

const Template = z.object({ builders: z.array(z.object({ name: z.string() })) })

export interface BuildFiles {
  /** A template in Packer's JSON syntax. It contains nothing that users entered. */
  template: { builders: { name: string }[] } & Record<string, unknown>
  /** The values that users chose. */
  variables: Record<string, string>
  /** Files that provisioners copy to the machine; paths are relative to the build's folder. */
  files: { path: string; data: string | Uint8Array }[]
}

interface OpenMachine {
  builder: string
  host: string
  username: string
}
type BuildEnding =
  | { ended: 'done'; artifacts: Artifact[] }
  /** The build is open for manual changes, and its output is no longer followed. */
  | { ended: 'open'; machines: OpenMachine[] }

export interface PackerBuild {
  /** Writes everything that the build needs; must be called before the first run. */
  write(files: BuildFiles): Promise<void>
  /** Starts the build, or resumes following it if it was started before; `from` is the last position that was seen. */
  run(following: Following & { from?: number }): Promise<BuildEnding>
  /** Ends the manual changes to an open build. */
  finalize(): Promise<void>
  inProgress(): Promise<{ alive: boolean } | null>
  /** Removes the build with all its input. */
  remove(): Promise<void>
}

interface BuildOptions {
  /** The build's own folder. */
  folder: string
  /** The engine's credentials and other secrets, whose values are redacted from all texts. */
  environment: Record<string, string>
  secrets: string[]
}

export interface Packer {
  program(): Promise<EngineProgram>
  build(options: BuildOptions): PackerBuild
}

interface PackerOptions {
  /** Resolved on first use, so that a missing program does not block anything else. */
  program: () => Promise<EngineProgram>
  /** How many builds this server runs at once; others wait for their turn. */
  atOnce: number
}

/** Packer, or its simulated replacement. It deals with templates and variables, and knows nothing about stacks. */
export function createPacker({ program, atOnce }: PackerOptions): Packer {
  const inTurn = limit(atOnce)
  const find = foundOnce(program)
  return { program: find, build: (options) => openBuild({ program: find, inTurn }, options) }
}

type Around = { program: () => Promise<EngineProgram>; inTurn: ReturnType<typeof limit> }

function openBuild({ program, inTurn }: Around, { folder, environment, secrets }: BuildOptions): PackerBuild {
  const file = (name: string) => path.join(folder, name)
  const redact = redactor([...secretsOf(environment), ...secrets])

  const start = async (): Promise<EngineProcess> => {
    const found = await program()
    return startDetached({
      folder,
      name: 'build',
      command: [...found.command, ...buildArguments],
      environment: {
        ...found.environment,
        HOME: file('home'),
        PACKER_CACHE_DIR: file('cache'),
        CHECKPOINT_DISABLE: '1',
        FLOTILLA_BUILD: folder,
        ...environment,
      },
    })
  }

  const follow = async (running: EngineProcess, following: Following & { from?: number }) => {
    const { builders } = Template.parse(JSON.parse(await readFile(file('template.json'), 'utf8')))
    const parsed = await watch(running, {
      ...following,
      redact,
      builders: builders.map(({ name }) => name),
      isOpen: () => existsSync(file(WAITING)),
    })
    if (parsed.open) return { ended: 'open' as const, machines: parsed.open }
    const exitCode = running.exitCode()
    if (exitCode === 0) return { ended: 'done' as const, artifacts: parsed.artifacts }
    const why = failureOf(parsed.diagnostics, exitCode)
    if (parsed.canceled) throw new EngineError('canceled', 'Canceled.', { details: why.details })
    throw why
  }

  return {
    async write({ template, variables, files }) {
      await mkdir(file('home'), { recursive: true, mode: 0o700 })
      await writeDurably(file('template.json'), JSON.stringify(template, undefined, 1))
      await writeDurably(file('variables.json'), JSON.stringify(checked(variables), undefined, 1))
      for (const one of files) {
        await mkdir(path.dirname(file(one.path)), { recursive: true, mode: 0o700 })
        await writeDurably(file(one.path), Buffer.from(one.data))
      }
      if (JSON.stringify(template).includes(WAITING)) await writeDurably(file(WAITING), '')
    },
    async run(following) {
      const before = await findDetached(folder, { takeBack: true })
      if (before) return follow(before, following)
      const { cancel, detach } = following
      const signal = AbortSignal.any([cancel, detach].filter((one) => one !== undefined))
      let begun = false
      try {
        return await inTurn(async () => {
          begun = true
          return follow(await start(), following)
        }, signal)
      } catch (error) {
        if (begun) throw error
        throw new EngineError(cancel?.aborted ? 'canceled' : 'detached', 'Canceled before it started.')
      }
    },
    finalize: () => rm(file(WAITING), { force: true }),
    async inProgress() {
      const running = await findDetached(folder, { takeBack: false })
      return running && { alive: running.alive() }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const buildArguments = [
  'build',
  '-machine-readable',
  '-color=false',
  '-var-file=variables.json',
  'template.json',
]

/** Packer evaluates these two braces everywhere, including the values of variables. */
export const isTemplate = (text: string) => text.includes('{{')

function checked(variables: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(variables))
    if (isTemplate(value)) throw new EngineError('failed', `${name} must not contain “{{”.`)
  return variables
}

interface Watched {
  artifacts: Artifact[]
  diagnostics: Diagnostic[]
  /** Set if every machine of the build waits for manual changes. */
  open: OpenMachine[] | null
  canceled: boolean
}
type WatchOptions = Following & {
  from?: number
  redact: (text: string) => string
  builders: string[]
  /** Whether the manual changes are unfinished. */
  isOpen: () => boolean
}

/** Follows a build to its end, or until it waits for manual changes, and stops it on request. */
async function watch(running: EngineProcess, options: WatchOptions): Promise<Watched> {
  const { cancel, detach, onEvent, from = 0, redact, builders, isOpen } = options
  const artifacts: Artifact[] = []
  const diagnostics: Diagnostic[] = []
  const machines = new Map<string, OpenMachine>()
  const stop = new AbortController()
  const { end, ending, release } = terminator(running, timeouts, cancel)
  const signal = AbortSignal.any([stop.signal, ...(detach ? [detach] : [])])
  try {
    // From the beginning, because earlier artifacts and errors count too.
    for await (const line of running.lines(0, signal)) {
      const parsed = parsePackerLine(line, redact)
      if (!parsed) continue
      const { event, diagnostic, artifact, failed, open } = parsed
      if (event && event.position > from) onEvent?.(event)
      if (diagnostic) diagnostics.push(diagnostic)
      if (artifact) artifacts.push(artifact)
      // The images belong together: if one is missing, the others are useless.
      if (failed && builders.length > 1) end()
      if (!open) continue
      machines.set(open.builder, open)
      const all = builders.every((name) => machines.has(name))
      if (all && isOpen() && !ending()) stop.abort()
    }
  } finally {
    release()
  }
  const open = stop.signal.aborted && running.alive() ? [...machines.values()] : null
  if (!open && detach?.aborted && running.alive())
    throw new EngineError('detached', 'The build continues in the background.')
  await ending()
  return { artifacts, diagnostics, open, canceled: cancel?.aborted ?? false }
}
