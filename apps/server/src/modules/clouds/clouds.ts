import path from 'node:path'
import { NOT_BILLED } from '@flotilla/contract/clouds/providers'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { ServerConfig } from '../../config'
import type { EngineProgram } from '../../engines/engine'
import { findPacker } from '../../engines/packer/find'
import { findTofu, simulatedProgram } from '../../engines/tofu/find'
import { fail, Failure } from '../../fail'
import { explain, redactFor } from '../../providers/explain'
import { maasClient, type MaasClient } from '../../providers/maas/client'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Driver } from '../../providers/provider'
import { cloudProviders } from '../../providers/registry'
import { simulatedDriver } from '../../simulated/driver'
import { simulatedMaas } from '../../simulated/maas'

/** The folder in which the simulated clouds store their resources. */
export const simulatedFolder = (dataDir: string) => path.join(dataDir, 'simulated')

type Settings = Pick<ServerConfig, 'simulated' | 'dataDir' | 'tofuBin' | 'packerBin'>
/** The programs that stand in for OpenTofu and every cloud, and for Packer. */
type Programs = { simulatedCloud: string; simulatedPacker: string }
type Sizes = Awaited<ReturnType<NonNullable<Driver['sizes']>>>

/** Everything that differs between a server with real clouds and one that simulates them. */
type Mode = {
  /** Shown to users. */
  simulated: boolean
  tofu: () => Promise<EngineProgram>
  packer: () => Promise<EngineProgram>
  driver: (provider: ProviderId, credential: CredentialData, region: string) => Promise<Driver>
  maas: (credential: CredentialData) => MaasClient
  /** Current sizes and prices in a region, where the cloud of this driver provides them. */
  sizes: (
    provider: ProviderId,
    region: string,
    driver: () => Promise<Pick<Driver, 'sizes'>>,
  ) => Promise<Sizes | undefined>
  /** The name of a cloud in messages to users. */
  label: (cloud: string) => string
  /** Shown with every price. */
  priceNote: string | null
  /** How long clouds keep listing deleted resources. */
  listsDeletedMs: number
  /** How long to wait before requesting a machine again that the cloud has no capacity for; grows with each attempt. */
  capacityWaitMs: number
}

/** How the console accesses the clouds; tests replace parts of it. */
export type Clouds = Mode & {
  /** The region that is used when none is given. */
  firstRegion: (provider: ProviderId) => Promise<string>
  /**
   * Runs requests to a cloud that need this permission. A failure is explained to the user without revealing secrets.
   */
  queryCloud: <T>(
    provider: ProviderId,
    data: CredentialData,
    work: () => Promise<T>,
    right?: string,
  ) => Promise<T>
}

const real = ({ tofuBin, packerBin }: Settings): Mode => ({
  simulated: false,
  tofu: () => findTofu({ tofuBin, env: process.env }),
  packer: () => findPacker({ packerBin, env: process.env }),
  driver: (provider, credential, region) => cloudProviders[provider].driver({ credential, region }),
  maas: maasClient,
  sizes: async (_provider, _region, driver) => (await driver()).sizes?.(),
  label: (cloud) => cloud,
  priceNote: null,
  listsDeletedMs: 60_000,
  capacityWaitMs: 30_000,
})

function simulated({ dataDir }: Settings, { simulatedCloud, simulatedPacker }: Programs): Mode {
  const dir = simulatedFolder(path.resolve(dataDir))
  const { env } = process
  return {
    simulated: true,
    tofu: async () => simulatedProgram({ file: simulatedCloud, dir, env }),
    packer: async () => simulatedProgram({ file: simulatedPacker, dir, env }),
    driver: async (provider, _credential, region) => simulatedDriver({ dir, provider, region }),
    maas: simulatedMaas,
    // There is no cloud to query, so the catalog that ships with the console is used.
    async sizes(provider, region) {
      const { name, catalog } = cloudProviders[provider]
      const { sizes = [], prices = {} } = (await catalog()) ?? {}
      return { sizes, prices: prices[region] ?? {}, source: `the simulated ${name}` }
    },
    label: (cloud) => `The simulated ${cloud}`,
    priceNote: NOT_BILLED,
    listsDeletedMs: 0,
    capacityWaitMs: 2000 * Number(env.SIMULATED_CLOUD_PACE ?? 1),
  }
}

export const makeClouds = (settings: Settings, programs: Programs): Clouds => ({
  ...(settings.simulated ? simulated(settings, programs) : real(settings)),
  firstRegion: async (provider) => (await cloudProviders[provider].catalog())?.regions[0]?.region_id ?? '',
  async queryCloud(provider, data, work, right) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure) throw error
      const { name, authentications } = cloudProviders[provider]
      const { kind, message } = explain(name, error, redactFor(authentications, data), right)
      return fail(kind === 'unreachable' ? 'cloud_unavailable' : 'cloud_refused', {
        message,
        extras: { part: name },
      })
    }
  },
})
