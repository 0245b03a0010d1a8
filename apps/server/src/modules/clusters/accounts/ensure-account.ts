import ssh2 from 'ssh2'
import { addAccount } from '../../../cloud-init/commands'
import { fail } from '../../../fail'
import { explain } from '../../../explain'
import type { ClusterConnection } from '../commands/connection'
import { runOn } from '../commands/run-on'

/** Nodes that are up are waited for. */
export const ACCOUNT_MS = 2 * 60_000
const LONGEST = 32

/** A person's account on machines that the console made: systems want small letters, and not too many. */
export const accountName = (username: string): string => username.toLowerCase().slice(0, LONGEST)

/** The public half of a private key, as it stands in authorized_keys. */
function publicKeyOf(privateKey: string): string {
  const key = ssh2.utils.parseKey(privateKey)
  if (key instanceof Error) throw key
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}

/** Makes the account on every machine of the cluster, or sees that it is there. `uid` is the person's own, for ever. */
export async function ensureAccount(
  admin: ClusterConnection,
  person: { username: string; uid: number; key: string },
): Promise<void> {
  const name = accountName(person.username)
  await runOn(admin, addAccount(name, person.uid, publicKeyOf(person.key)), ACCOUNT_MS).catch(
    (error: unknown) =>
      fail('no_account', { message: `No account could be made for you on this cluster: ${explain(error)}` }),
  )
}
