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

/** When told to stop, it removes the machine that it created, which takes a while. */
const timeouts: Timeouts = { interruptMs: 10 * 60_000, againMs: 30_000, signal: 'SIGTERM' }

/** As long as this file is in a build's folder, the build stays open for people. */
const WAITING = 'waiting-for-people'

/**
 * A provisioner that keeps a build open: it runs on the console's own machine, so neither the way to the built machine
 * nor the server has to stay up in the meantime, and it ends with its folder. Its first words say how to log in.
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
  /** A template in Packer's JSON. Nothing that a user typed is in it. */
  template: { builders: { name: string }[] } & Record<string, unknown>
  /** What users chose. */
  variables: Record<string, string>
  /** What provisioners bring onto the machine; paths within the build's folder. */
  files: { path: string; data: string | Uint8Array }[]
}

interface OpenMachine {
  builder: string
  host: string
  username: string
}
type BuildEnding =
  | { ended: 'done'; artifacts: Artifact[] }
  /** It is open for manual changes, and nothing follows its output anymore. */
  | { ended: 'open'; machines: OpenMachine[] }

export interface PackerBuild {
  /** Everything that it needs, before it begins. */
  write(files: BuildFiles): Promise<void>
  /** Begins, or goes on following what has begun; `from` is the last position that was seen. */
  run(following: Following & { from?: number }): Promise<BuildEnding>
  /** The manual changes to an open build are finished. */
  finalize(): Promise<void>
  inProgress(): Promise<{ alive: boolean } | null>
  /** With all that it was made from. */
  remove(): Promise<void>
}

interface BuildOptions {
  /** Only this build's. */
  folder: string
  /** How the engine logs in to the cloud, and what else is secret. The values are kept out of every text. */
  environment: Record<string, string>
  secrets: string[]
}

export interface Packer {
  program(): Promise<EngineProgram>
  build(options: BuildOptions): PackerBuild
}

interface PackerOptions {
  /** Resolved on first use, so that a missing program blocks nothing else. */
  program: () => Promise<EngineProgram>
  /** How many builds this server starts at once; further ones wait for their turn. */
  atOnce: number
}

/** Packer, or what stands in for it. It knows templates and variables, and nothing of stacks. */
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
      const { cancel, leave } = following
      const signal = AbortSignal.any([cancel, leave].filter((one) => one !== undefined))
      let begun = false
      try {
        return await inTurn(async () => {
          begun = true
          return follow(await start(), following)
        }, signal)
      } catch (error) {
        if (begun) throw error
        throw new EngineError(cancel?.aborted ? 'canceled' : 'left', 'Canceled before it started.')
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

/** Packer evaluates these two brackets wherever they stand, values of variables among them. */
export const looksLikeTemplate = (text: string) => text.includes('{{')

function checked(variables: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(variables))
    if (looksLikeTemplate(value)) throw new EngineError('failed', `${name} must not contain “{{”.`)
  return variables
}

interface Watched {
  artifacts: Artifact[]
  diagnostics: Diagnostic[]
  /** Every machine of the build waits for people. */
  open: OpenMachine[] | null
  canceled: boolean
}
type WatchOptions = Following & {
  from?: number
  redact: (text: string) => string
  builders: string[]
  /** Whether people are still to do something. */
  isOpen: () => boolean
}

/** Follows a build to its end, or until it waits for manual changes, and stops it on request. */
async function watch(running: EngineProcess, options: WatchOptions): Promise<Watched> {
  const { cancel, leave, onEvent, from = 0, redact, builders, isOpen } = options
  const artifacts: Artifact[] = []
  const diagnostics: Diagnostic[] = []
  const machines = new Map<string, OpenMachine>()
  const stop = new AbortController()
  const { end, ending, release } = terminator(running, timeouts, cancel)
  const signal = AbortSignal.any([stop.signal, ...(leave ? [leave] : [])])
  try {
    // From its beginning, because what was made before must be known too.
    for await (const line of running.lines(0, signal)) {
      const parsed = parsePackerLine(line, redact)
      if (!parsed) continue
      const { event, diagnostic, artifact, failed, open } = parsed
      if (event && event.position > from) onEvent?.(event)
      if (diagnostic) diagnostics.push(diagnostic)
      if (artifact) artifacts.push(artifact)
      // The images belong together: without one of them the others are of no use.
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
  if (!open && leave?.aborted && running.alive())
    throw new EngineError('left', 'The build continues in the background.')
  await ending()
  return { artifacts, diagnostics, open, canceled: cancel?.aborted ?? false }
}
