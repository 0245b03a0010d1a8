import type { LdapTest, LdapTestStep } from '@flotilla/contract/people/ldap-servers'
import { countText } from '@flotilla/contract/count-text'
import { explain } from '../../explain'
import { addressOf, connect, type Connection } from './connection'
import { bindService, lookUp, type Directory } from './directory'
import { rolesOf } from './roles'

type Outcome = { message: string; state?: 'warning' }

/** Tests a server step by step and stops at the first failure. A sample user is looked up, but not logged in. */
export async function diagnose(directory: Directory, sample: string, now: () => number): Promise<LdapTest> {
  const { settings } = directory
  const { host, port } = addressOf(settings)
  const steps: LdapTestStep[] = []
  let connection: Connection | undefined
  const step = async (name: string, work: () => Promise<Outcome>): Promise<boolean> => {
    const began = performance.now()
    const ms = () => Math.round(performance.now() - began)
    try {
      steps.push({ step: name, state: 'ok', ...(await work()), ms: ms() })
      return true
    } catch (error) {
      steps.push({ step: name, state: 'failed', message: explain(error), ms: ms() })
      return false
    }
  }
  const ldap = (): Connection => connection ?? failNotConnected()

  const all: [name: string, work: () => Promise<Outcome>][] = [
    [
      'Connect',
      async () => {
        connection = await connect(settings)
        return { message: `${host}:${port} responds` }
      },
    ],
    ['Encryption', () => secure(ldap())],
    [
      'Bind',
      async () => {
        await bindService(ldap(), directory)
        return settings.bindDn
          ? { message: `Logged in as ${settings.bindDn}` }
          : { message: 'No bind DN: searches are anonymous' }
      },
    ],
    [
      'Base DN',
      async () => {
        await ldap().search(settings.baseDn, {
          filter: '(objectClass=*)',
          scope: 'base',
          attributes: ['1.1'],
          limit: 1,
        })
        return { message: `${settings.baseDn} can be read` }
      },
    ],
    ['User', () => lookUpSample(ldap(), directory, sample, now())],
  ]
  for (const [name, work] of all) if (!(await step(name, work))) break
  connection?.close()
  return { ok: steps.every(({ state }) => state !== 'failed'), steps }
}

const failNotConnected = (): never => {
  throw new Error('The server is not connected')
}

async function secure(connection: Connection): Promise<Outcome> {
  const certificate = await connection.secure()
  if (!certificate)
    return {
      state: 'warning',
      message: 'Not encrypted: passwords cross the network in cleartext. Use StartTLS or ldaps://.',
    }
  const { subject, issuer, valid_to: until } = certificate
  return {
    message: `Encrypted. The certificate of ${nameOf(subject)} is signed by ${nameOf(issuer)} and valid until ${until}.`,
  }
}
const nameOf = (name: { CN?: string | string[]; O?: string | string[] } | undefined): string =>
  [name?.CN ?? name?.O ?? 'an unnamed entity'].flat().join(', ')

async function lookUpSample(
  connection: Connection,
  directory: Directory,
  sample: string,
  now: number,
): Promise<Outcome> {
  const { settings } = directory
  if (settings.userDnTemplate !== '' && settings.bindDn === '')
    return {
      state: 'warning',
      message:
        'Without a bind DN, users can be read only while they log in: a removed account is detected only at its next login.',
    }
  if (sample === '')
    return { state: 'warning', message: 'Enter a username to see who is found, and with which role.' }
  const person = await lookUp(connection, directory, sample, now)
  if (!person)
    return {
      state: 'warning',
      message: `No user ${sample}, or more than one. Check the user filter or DN template.`,
    }
  const roles = rolesOf(settings, person.groups)
  const email = person.email === '' ? 'no email address' : person.email
  const groups = countText(person.groups.length, 'group')
  const role =
    roles === undefined
      ? 'No groups assign roles'
      : roles.length === 0
        ? 'In none of the role groups: cannot log in'
        : `Role: ${roles.join(', ')}`
  const found = `${person.firstName} ${person.lastName} (${email}): ${person.dn}. In ${groups}. ${role}.`
  return person.disabled
    ? { state: 'warning', message: `${found} Disabled or expired in the directory: cannot log in.` }
    : { ...(roles?.length === 0 && { state: 'warning' }), message: found }
}
