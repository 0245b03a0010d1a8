import { addAccount } from '../../../cloud-init/commands'
import { fail } from '../../../fail'
import { explain } from '../../../explain'
import { publicKeyIn } from '../../../ssh-key'
import type { ClusterConnection } from '../commands/connection'
import { runOn } from '../commands/run-on'

/** How long to wait for the nodes that are up. */
export const ACCOUNT_MS = 2 * 60_000
const LONGEST = 32

/** The name of a person's account on machines that the console created: lowercase and of limited length. */
export const accountName = (username: string): string => username.toLowerCase().slice(0, LONGEST)

/** Ensures that the account exists on every machine of the cluster. The `uid` belongs to the person permanently. */
export async function ensureAccount(
  admin: ClusterConnection,
  person: { username: string; uid: number; key: string },
): Promise<void> {
  const name = accountName(person.username)
  await runOn(admin, addAccount(name, person.uid, publicKeyIn(person.key)), ACCOUNT_MS).catch(
    (error: unknown) =>
      fail('no_account', { message: `Your account on this cluster could not be created: ${explain(error)}` }),
  )
}
