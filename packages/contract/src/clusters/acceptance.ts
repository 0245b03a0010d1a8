import * as z from 'zod/mini'

/** A digest of the owner, host, port, account, account mode and host key. */
const Connection = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Reload the cluster and try again'))

/**
 * A user's decision about an attached cluster whose owner is not an admin. Nothing runs under the user's account there
 * until they accept, and they have to accept again when the connection changes.
 */
export const Acceptance = z.object({
  accepted: z.boolean(),
  /** Whether they had accepted an earlier connection. */
  changed: z.boolean(),
  /** Whether the cluster was shared with them by name: if they decline, it no longer is. */
  shared: z.boolean(),
  /** The connection to accept. Null until the head node's host key is known. */
  connection: z.nullable(Connection),
})
export type Acceptance = z.infer<typeof Acceptance>

export const AcceptanceInput = z.discriminatedUnion('accept', [
  /** `connection` is the one that the user saw: if it has changed since, accepting fails. */
  z.object({ accept: z.literal(true), connection: Connection }),
  z.object({ accept: z.literal(false) }),
])

type Answered = Pick<Acceptance, 'accepted' | 'changed' | 'connection'>
/** Why nothing can run under the user's account yet, or null. */
export function acceptanceBlockedReason(
  { accepted, changed, connection }: Answered,
  owner: string,
): string | null {
  if (accepted) return null
  if (connection === null)
    return `${owner} shared this cluster with you. You can accept it once it is deployed and its host key is known.`
  return changed
    ? 'The connection settings of this cluster have changed. Accept it again on its page before you use it.'
    : `${owner} shared this cluster with you. Accept it on its page before you use it.`
}
