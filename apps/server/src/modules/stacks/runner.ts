import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { ImageRole } from '@flotilla/contract/stacks/entity'
import type { TorqueSource } from '../../cloud-init/input'
import type { Database } from '../../db/database'
import { engineUnavailable } from '../../engines/engine'
import type { Packer } from '../../engines/packer/packer'
import { fail } from '../../fail'
import type { ImageBuilder } from '../../providers/image/image'
import type { MaasClient } from '../../providers/maas/client'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Driver, ProviderFacts } from '../../providers/provider'
import { buildFolder, openBuild, type BuildParts } from './build'
import { buildBlockedReason } from './check'
import { following, type RunContext } from '../runs/runs'
import type { BuildOutcome } from './runs'
import * as store from './store'
import type { StackTerms } from './terms'

type Options = {
  db: Database
  packer: Packer
  dataDir: string
  facts: (provider: ProviderId) => ProviderFacts
  imageBuilder: (provider: ProviderId) => Promise<ImageBuilder | null>
  credential(id: string): Promise<{ provider: ProviderId; data: CredentialData }>
  driver(provider: ProviderId, credential: CredentialData, region: string): Promise<Driver>
  maas(credential: CredentialData): MaasClient
  /** Queries a cloud and explains failures to the user. */
  queryCloud<T>(provider: ProviderId, data: CredentialData, work: () => Promise<T>): Promise<T>
  torqueSource(): Promise<TorqueSource | null>
  rhelKey(stack: store.FoundStack): string
  planOf: StackTerms['planOf']
  /** The key with which this user logs in to machines. */
  publicKeyOf(userId: string, username: string): Promise<string>
}

const isRole = (name: string): name is ImageRole => name === 'node' || name === 'server'

/** Builds an image with Packer, or checks that it exists if the provider does not build images. */
export function buildRunner(options: Options) {
  const { db, packer, dataDir, facts, imageBuilder } = options
  const build = (stackId: string, runId: string) =>
    packer.build({ folder: buildFolder(path.resolve(dataDir), stackId, runId), environment: {}, secrets: [] })

  const partsOf = async (
    stack: store.FoundStack,
    builder: ImageBuilder,
    run: store.Run,
  ): Promise<BuildParts> => ({
    stack,
    builder,
    credential: (await options.credential(stack.credential_id)).data,
    files: await store.files(db.kysely, stack.id),
    rhel: { activationKey: options.rhelKey(stack), organization: stack.rhel_organization_id },
    torqueSource: await options.torqueSource(),
    peopleKeys: await Promise.all(
      // The user who started the build may not be the owner, so both get access.
      [
        { id: stack.owner_id, username: stack.owner },
        ...(run.actor_id && run.actor && run.actor_id !== stack.owner_id
          ? [{ id: run.actor_id, username: run.actor }]
          : []),
      ].map(({ id, username }) => options.publicKeyOf(id, username)),
    ),
  })

  /** MAAS deploys images that it already has, so the stack only selects one. */
  const register = async (stack: store.FoundStack, { log }: RunContext): Promise<BuildOutcome> => {
    const { source_image } = stack.data
    const { data } = await options.credential(stack.credential_id)
    log('Querying the images of MAAS')
    const images = await options.queryCloud('maas', data, options.maas(data).images)
    const found = images.find(({ id }) => id === source_image)
    if (!found) throw new Error(`MAAS has no image ${source_image}. Import or upload it there first.`)
    log(`Found ${found.name} (${found.architecture})`)
    return { images: [{ role: 'node', id: found.id, region: '', plan: null }] }
  }

  return {
    async build(stack: store.FoundStack, run: store.Run, context: RunContext): Promise<BuildOutcome> {
      const builder = await imageBuilder(stack.provider)
      if (!builder) return register(stack, context)
      const { log } = context
      const { data } = stack
      const marketplace = await options.planOf(stack)
      const plan = marketplace.image ? marketplace.plan : null
      const parts = { ...(await partsOf(stack, builder, run)), plan }
      const passwords = facts(stack.provider)
        .authentications.filter(({ type }) => type === 'password')
        .map(({ id }) => parts.credential[id] ?? '')
      const zoneName = async (zone: string) => {
        const driver = await options.driver(stack.provider, parts.credential, data.region_id)
        return options.queryCloud(
          stack.provider,
          parts.credential,
          async () => (await driver.zoneName?.(zone)) ?? zone,
        )
      }
      const deps = { packer, dataDir, provider: stack.provider, passwords, zoneName }
      const engine = await openBuild(deps, parts, run.id)
      if (run.finalized) await engine.finalize()
      const ending = await engine.run({ from: run.engine_position, ...following(context) })
      if (ending.ended === 'open') {
        const open = ending.machines.flatMap(({ builder: role, host, username }) =>
          isRole(role) ? [{ role, host, username }] : [],
        )
        return { open }
      }
      const images = ending.artifacts.flatMap(({ builder: role, id }) =>
        isRole(role) ? [{ role, ...builder.imageIn(id, data), plan: plan ?? null }] : [],
      )
      if (images.length === 0) throw new Error('Packer succeeded but reported no image')
      for (const { role, id } of images) log(`The image of the ${role} machines is ${id}`)
      return { images }
    },

    /** Packer removes what it created unless it was killed. */
    async cleanUp(stack: store.FoundStack, { log, detach }: RunContext): Promise<void> {
      if (!(await imageBuilder(stack.provider))) return
      const { data } = await options.credential(stack.credential_id)
      const driver = await options.driver(stack.provider, data, stack.data.region_id)
      const found = await options.queryCloud(stack.provider, data, () => driver.find(stack.id))
      for (const left of found) {
        log(`Removing ${left.type} ${left.name || left.id}, which the build left behind`)
        await options.queryCloud(stack.provider, data, () => driver.remove(left, detach))
      }
    },

    forget: (stackId: string, runId: string) =>
      rm(buildFolder(dataDir, stackId, runId), { recursive: true, force: true }),

    isOpen: async (stackId: string, runId: string): Promise<boolean> =>
      (await build(stackId, runId).inProgress())?.alive ?? false,

    async refuseUnbuildable(stack: store.FoundStack): Promise<void> {
      const builder = await imageBuilder(stack.provider)
      if (!builder) return
      const { version } = await packer.program().catch(engineUnavailable)
      const why = buildBlockedReason(stack, builder, await options.torqueSource(), version)
      if (why) fail(why.code, { message: why.message })
    },
  }
}
