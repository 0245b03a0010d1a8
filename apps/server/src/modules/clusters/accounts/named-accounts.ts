import { fail } from '../../../fail'
import type { LocalAccount } from '../../../transports/local/process'
import type { Transport } from '../../../transports/transport'

const LOOKUP_MS = 15_000
const FIRST_PERSON_UID = 1000
/** Distributions use these for daemons and for `nobody`. Site directories start above them. */
const DAEMONS = { first: 60_000, last: 65_535 }
const noLogin = /\/(nologin|false|sync)$/

/** The account in a line of `getent passwd`, if it belongs to a person: no one may act as a system account. */
export function personsAccount(line: string, username: string, where: string): LocalAccount {
  const [name = '', , uid = '', gid = '', , home = '', shell = ''] = line.trim().split(':')
  const number = Number(uid)
  const isPersons =
    number >= FIRST_PERSON_UID && !(number >= DAEMONS.first && number <= DAEMONS.last) && !noLogin.test(shell)
  if (name !== username || !isPersons)
    return fail('no_account', {
      message: `No personal account named ${username} on ${where}: ask its admin to create one`,
    })
  return { uid: number, gid: Number(gid), username: name, home, ...(shell && { shell }) }
}

/**
 * The same for an account on a head node, looked up by the cluster's admin account, which no one else may act as
 * either.
 */
export async function headNodeAccount(
  transport: Transport,
  username: string,
  login: string,
): Promise<string> {
  if (username === login) fail('no_account', { message: `${username} is the admin account of this cluster` })
  const argv = ['getent', 'passwd', '--', username]
  const { stdout } = await transport.exec(argv, { timeoutMs: LOOKUP_MS, brief: true })
  return personsAccount(stdout, username, 'the head node').username
}
