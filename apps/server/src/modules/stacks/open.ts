import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import { createPacker } from '../../engines/packer/packer'
import type { Bind } from '../../http/bind'
import type { AuditSource } from '../../http/caller'
import { cloudProviders } from '../../providers/registry'
import type { Queue } from '../../queue/queue'
import type { Secrets } from '../../secrets/secrets'
import { publicKeyIn } from '../../ssh-key'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import type { Leftovers } from '../leftovers/leftovers'
import type { Providers } from '../providers/providers'
import type { Settings } from '../settings/settings'
import type { Users } from '../users/users'
import { makeBuilds } from './builds'
import { bindStacks } from './routes'
import { makeStackRuns } from './runs'
import { makeStacks } from './stacks'
import { buildRunner } from './runner'
import { makeStackTerms } from './terms'

/** Builds mostly wait for clouds, but each holds a connection and files. */
const BUILDS_AT_ONCE = 8

type Deps = {
  config: ServerConfig
  db: Database
  queue: Queue
  secrets: Secrets
  users: Users
  clouds: Clouds
  credentials: Credentials
  settings: Settings
  providers: Providers
  leftovers: Leftovers
  system: AuditSource
  now: () => number
}

export type StacksApi = ReturnType<typeof openStacks>['api']
export function openStacks(deps: Deps) {
  const { config, db, queue, secrets, users, clouds, credentials, settings, providers, leftovers, now } = deps
  const { dataDir } = config
  const facts = (provider: keyof typeof cloudProviders) => cloudProviders[provider]
  const imageBuilder = (provider: keyof typeof cloudProviders) => cloudProviders[provider].imageBuilder()
  const { use: credential, requireFor: requireCredential } = credentials
  const packer = createPacker({
    program: clouds.packer,
    atOnce: BUILDS_AT_ONCE,
  })
  const stacks = makeStacks({
    db,
    secrets,
    facts,
    imageBuilder,
    mayUseCredential: credentials.mayUse,
    credential,
    providersFor: settings.providersFor,
    catalog: providers.catalogFor,
    simulated: clouds.simulated,
    now,
  })
  const { driver, queryCloud } = clouds
  const terms = makeStackTerms({
    db,
    stacks,
    imageBuilder,
    credential,
    driver,
    queryCloud,
    requireCredential,
  })
  const work = buildRunner({
    db,
    packer,
    dataDir,
    facts,
    imageBuilder,
    credential,
    driver,
    maas: clouds.maas,
    queryCloud,
    torqueSource: settings.torqueSource,
    rhelKey: stacks.rhelKey,
    planOf: terms.planOf,
    publicKeyOf: async (id, username) => publicKeyIn(await users.sshKey({ id, username })),
  })
  const runs = makeStackRuns({ db, queue, simulated: clouds.simulated, system: deps.system, ...work, now })
  const builds = makeBuilds({
    db,
    queue,
    stacks,
    facts,
    catalog: providers.catalogFor,
    refuseUnbuildable: work.refuseUnbuildable,
    requireCredential,
    notePlace: leftovers.notePlace,
    now,
  })
  return {
    api: { imageOf: stacks.imageOf, choicesOf: stacks.choicesOf, mayUse: stacks.mayUse },
    bind: (bind: Bind) =>
      bindStacks(bind, { stacks, builds, terms, osTypes: (provider) => cloudProviders[provider].osTypes }),
    tasks: [runs.handler],
    sweep: runs.sweep,
  }
}
