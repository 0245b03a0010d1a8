import * as z from 'zod/mini'

/** A digest of the connection: owner, host, port, account, account mode and host key. */
const Connection = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Reload the cluster and try again'))

/**
 * What a person decided about an attached cluster whose owner is not an admin. Nothing runs under their account there
 * before they accept, and again after the connection changed.
 */
export const Acceptance = z.object({
  accepted: z.boolean(),
  /** They accepted an earlier connection. */
  changed: z.boolean(),
  /** The cluster was shared with them by name: declining removes that. */
  shared: z.boolean(),
  /** What they accept. Null until the head node's host key is known. */
  connection: z.nullable(Connection),
})
export type Acceptance = z.infer<typeof Acceptance>

export const AcceptanceInput = z.discriminatedUnion('accept', [
  /** `connection` as the person saw it: another one is not accepted. */
  z.object({ accept: z.literal(true), connection: Connection }),
  z.object({ accept: z.literal(false) }),
])

type Answered = Pick<Acceptance, 'accepted' | 'changed' | 'connection'>
/** Why nothing can run under the person's account yet, or null. */
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
