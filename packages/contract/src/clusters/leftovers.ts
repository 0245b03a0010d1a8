import * as z from 'zod/mini'
import { CloudResource } from './cloud'
import { ProviderId } from '../site/config'
import { get, post } from '../endpoint'
import { Time } from '../lists'

/** A cloud resource with our tag that belongs to no cluster. */
const Leftover = z.extend(CloudResource, {
  key: z.string(),
  provider: ProviderId,
  region: z.string(),
  credential: z.string(),
  /** The cluster that its tag names, if there is still a record of it. */
  cluster: z.nullable(z.string()),
  foundAt: Time,
})
export type Leftover = z.infer<typeof Leftover>
const Leftovers = z.object({
  leftovers: z.array(Leftover),
  searchedAt: z.nullable(Time),
  /** Credentials that could not be searched, with the reason. */
  failures: z.array(z.object({ credential: z.string(), reason: z.string() })),
})

export const leftovers = {
  list: get('/api/leftovers', {
    summary: 'List cloud resources with this console’s tag that belong to no deployed cluster',
    access: 'admin',
    reply: Leftovers,
  }),
  search: post('/api/leftovers/search', {
    summary: 'Search for leftovers now',
    access: 'admin',
    body: z.object({}),
    reply: Leftovers,
  }),
  remove: post('/api/leftovers/remove', {
    summary: 'Delete leftovers',
    access: 'admin',
    body: z.object({
      keys: z.array(z.string().check(z.maxLength(600))).check(z.minLength(1), z.maxLength(200)),
    }),
    reply: z.object({
      removed: z.array(z.string()),
      failed: z.array(z.object({ key: z.string(), reason: z.string() })),
    }),
  }),
}
