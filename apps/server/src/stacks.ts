import path from 'node:path'
import type { TorqueSource } from './cloud-init/input'
import { askCloud, simulatedFolder, type Clouds } from './clouds'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import { simulatedProgram } from './engines/find'
import { findPacker } from './engines/find-packer'
import { createPacker } from './engines/packer'
import type { Bind } from './http/bind'
import type { Caller } from './http/caller'
import type { Credentials } from './modules/credentials/credentials'
import type { Providers } from './modules/providers/providers'
import { makeBuilds } from './modules/stacks/builds'
import { bindStacks } from './modules/stacks/routes'
import { makeStackRuns } from './modules/stacks/runs'
import { makeStacks } from './modules/stacks/stacks'
import { makeWork } from './modules/stacks/work'
import type { Users } from './modules/users/users'
import { cloudProviders } from './providers/registry'
import type { Queue } from './queue/queue'
import type { Secrets } from './secrets/secrets'
import { publicKeyIn } from './ssh-key'

/** They wait for clouds most of the time, but each holds a connection and files. */
const BUILDS_AT_ONCE = 8

/** The program that stands in for Packer, beside this one in the build. */
export const simulatedPackerProgram = path.join(import.meta.dirname, 'cli', 'simulated-packer.js')

type Options = {
  config: ServerConfig
  db: Database
  queue: Queue
  secrets: Secrets
  users: Users
  bind: Bind
  clouds: Clouds
  credentials: Credentials
  providersFor: (me: Caller) => Promise<string[]>
  catalogue: Providers['catalogueFor']
  torqueSource: () => Promise<TorqueSource | null>
  /** The program that the simulated Packer is. */
  simulatedPacker: string
  now: () => number
}

/** Stacks and their builds: put together by hand. */
export function buildStacks(options: Options) {
  const { config, db, queue, secrets, users, bind, clouds, credentials, providersFor, now } = options
  const { dataDir, simulated } = config
  const facts = (provider: keyof typeof cloudProviders) => cloudProviders[provider]
  const imageBuilder = (provider: keyof typeof cloudProviders) => cloudProviders[provider].imageBuilder()
  const credential = (id: string) => credentials.use(id)
  const packer = createPacker({
    program: simulated
      ? async () =>
          simulatedProgram({
            file: options.simulatedPacker,
            dir: simulatedFolder(path.resolve(dataDir)),
            env: process.env,
          })
      : () => findPacker({ packerBin: config.packerBin, env: process.env }),
    atOnce: BUILDS_AT_ONCE,
  })
  const stacks = makeStacks({
    db,
    secrets,
    facts,
    imageBuilder,
    mayUseCredential: credentials.mayUse,
    credential,
    providersFor,
    catalogue: options.catalogue,
    simulated,
    now,
  })
  const work = makeWork({
    db,
    packer,
    dataDir,
    simulated,
    facts,
    imageBuilder,
    credential,
    driver: clouds.driver,
    maas: clouds.maas,
    ask: askCloud,
    torqueSource: options.torqueSource,
    rhelKey: stacks.rhelKey,
    publicKeyOf: async (id, username) => publicKeyIn(await users.sshKey({ id, username })),
  })
  const runs = makeStackRuns({ db, queue, ...work, now })
  const builds = makeBuilds({
    db,
    queue,
    stacks,
    facts,
    refuseUnbuildable: work.refuseUnbuildable,
    requireCredential: credentials.requireFor,
    now,
  })
  bindStacks(bind, { stacks, builds, osTypes: (provider) => cloudProviders[provider].osTypes })
  return {
    packer,
    imageOf: stacks.imageOf,
    mayUse: stacks.mayUse,
    handlers: [runs.handler],
    sweep: runs.sweep,
  }
}
