import path from 'node:path'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { ServerConfig } from '../../config'
import { fail, Failure } from '../../fail'
import { explain, redactFor } from '../../providers/explain'
import { maasClient, type MaasClient } from '../../providers/maas/client'
import { simulatedMaas } from '../../providers/maas/simulated'
import type { CredentialData, Driver } from '../../providers/provider'
import { cloudProviders } from '../../providers/registry'
import { simulatedDriver } from '../../providers/simulated/driver'

/** Where the simulated clouds keep what exists in them. */
export const simulatedFolder = (dataDir: string) => path.join(dataDir, 'simulated')

/** How the console reaches the clouds; tests put others in their place. */
export type Clouds = {
  driver: (provider: ProviderId, credential: CredentialData, region: string) => Promise<Driver>
  maas: (credential: CredentialData) => MaasClient
  /** The region that is used where none is named. */
  firstRegion: (provider: ProviderId) => Promise<string>
  /** Sends requests to a cloud, which need this right; why they failed is explained to the user, without secrets. */
  ask: <T>(provider: ProviderId, data: CredentialData, work: () => Promise<T>, right?: string) => Promise<T>
}

export const makeClouds = ({ simulated, dataDir }: Pick<ServerConfig, 'simulated' | 'dataDir'>): Clouds => ({
  driver: async (provider, credential, region) =>
    simulated
      ? simulatedDriver({ dir: simulatedFolder(dataDir), provider, region })
      : cloudProviders[provider].driver({ credential, region }),
  maas: simulated ? simulatedMaas : maasClient,
  firstRegion: async (provider) => (await cloudProviders[provider].catalogue())?.regions[0]?.region_id ?? '',
  async ask(provider, data, work, right) {
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
