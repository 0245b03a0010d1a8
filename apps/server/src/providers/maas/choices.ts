import { countText } from '@flotilla/contract/count-text'
import * as z from 'zod/mini'
import { choice, readable, type AccountList, type AccountLists } from '../account-lists'
import type { MaasClient } from './client'

const Subnet = z.object({ cidr: z.string(), name: z.string(), space: z.optional(z.nullable(z.string())) })

/** The zones that have machines. */
const zonesOf = ({ machines }: Pick<MaasClient, 'machines'>): AccountList => ({
  right: 'to list machines',
  async *pages() {
    const all = await machines()
    yield [...new Set(all.map(({ zone }) => zone))].filter(Boolean).map((name) => {
      const here = all.filter(({ zone }) => zone === name)
      const ready = here.filter(({ status }) => status === 'Ready').length
      return choice(name, '', `${countText(here.length, 'machine')}, ${ready} ready`)
    })
  },
})

/** The site's resources by the fields that refer to them; modules/acm lists its shapes and images. */
export const makeChoices = (client: MaasClient, get: (path: string) => Promise<unknown>): AccountLists => ({
  'data.network.zone_name': zonesOf(client),
  'data.network.subnet_id': {
    right: 'to list subnets',
    async *pages() {
      const all = await get('subnets/')
      yield readable(Subnet, Array.isArray(all) ? all : []).map(({ cidr, name, space }) =>
        choice(cidr, name === cidr ? '' : name, space && `space ${space}`),
      )
    },
  },
})
