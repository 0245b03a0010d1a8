import { impossibleIn } from '@flotilla/contract/clusters/impossible/impossible'
import type { Image } from '@flotilla/contract/clusters/impossible/machines'
import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import type { ProviderId } from '@flotilla/contract/site/config'
import { describe, expect, it } from 'vitest'
import { cloudProviders } from '../../../src/providers/registry'
import { clusterOf } from './deployment'

export type Data = CloudClusterInput['data']
export interface Impossible {
  what: string
  on: ProviderId
  /** Makes a valid cluster impossible. */
  change: (data: Data, cluster: CloudClusterInput) => void
  at: string
  says: RegExp
  image?: Image
}

/** The first group of the sample, which always has one. */
export const group = ({ node }: Data) => {
  const [first] = node.group
  if (!first) throw new Error('the sample has no group')
  return first
}

export const problems = async (cluster: CloudClusterInput, image: Image | null = null) => {
  const provider = cloudProviders[cluster.provider]
  const { sizes = [], regions = [] } = (await provider.catalog()) ?? {}
  return impossibleIn({ ...provider, instanceSizes: sizes, regions }, cluster, image)
}

export const itReportsImpossible = (cases: Impossible[]) =>
  describe('an impossible cluster is reported on the field that causes it', () => {
    it.each(cases)('$on: $what', async ({ on, change, at, says, image }) => {
      const cluster = clusterOf(on)
      change(cluster.data, cluster)
      const found = await problems(cluster, image)
      expect(found.map(([path]) => path)).toContain(at)
      expect(found.find(([path]) => path === at)?.[1]).toMatch(says)
    })
  })
