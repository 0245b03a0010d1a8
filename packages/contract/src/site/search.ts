import * as z from 'zod/mini'
import type { Access } from '../access'
import { get } from '../endpoint'
import { SEARCH_TEXT_MAX } from '../limits'
import { Id } from '../lists'

/** The kinds of things that the search finds by name, each with the access that its page requires. */
export const foundKinds = {
  job: 'user',
  cluster: 'user',
  node: 'user',
  stack: 'instructor',
  app: 'user',
  training: 'instructor',
  course: 'instructor',
  credential: 'admin',
  person: 'admin',
} as const satisfies Record<string, Access>
export type FoundKind = keyof typeof foundKinds

// Border: `Object.keys` loses the literal types.
const kinds = Object.keys(foundKinds) as [FoundKind, ...FoundKind[]]

export const Found = z.object({
  kind: z.enum(kinds),
  /** For a node, its name. */
  id: z.string(),
  name: z.string(),
  /** What distinguishes it from others of the same name: an owner, a node's cluster, a user's username. */
  detail: z.string(),
  /** The cluster of a node. */
  clusterId: z.nullable(Id),
})
export type Found = z.infer<typeof Found>

export const search = {
  find: get('/api/search', {
    summary:
      'Find jobs, clusters, nodes, apps and more that you can see by name, and jobs by their number: at most ten of each kind',
    access: 'member',
    query: z.object({
      text: z
        .string('Enter a search term')
        .check(
          z.trim(),
          z.minLength(1, 'Enter a search term'),
          z.maxLength(SEARCH_TEXT_MAX, `Enter at most ${SEARCH_TEXT_MAX} characters`),
        ),
    }),
    reply: z.array(Found),
    // Without a reply, the search shows what it already has.
    failure: 'caller',
  }),
}
