import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Attribute, Change, Client } from 'ldapts'
import type { Endpoint, Sent } from '@flotilla/contract/endpoint'
import type { ldapServers } from '@flotilla/contract/people/ldap-servers'
import { freePort } from '../../../src/db/embedded/postmaster'
import { makeCertificate, makeKey } from '../../../src/modules/clusters/vpn/x509'
import { until } from '../until'

const SUFFIX = 'dc=example,dc=org'
const ROOT = { dn: `cn=root,${SUFFIX}`, password: 'root secret' }
const DAY_MS = 24 * 60 * 60_000
export const LDAP_PASSWORD = 'Right horse 1'

type Body<E extends Endpoint> = Sent<E> extends { body: infer B } ? B : never

export type TestSlapd = {
  suffix: string
  plain: string
  ldaps: string
  /** The certificate authority of the server, and an unrelated one. */
  ca: string
  otherCa: string
  /** The settings that an admin enters: without TLS, with accounts found by search. */
  settings(more?: object): Body<typeof ldapServers.create>
  /** Adds a person with the default password and returns the DN. */
  addPerson(uid: string, more?: Record<string, string | string[]>, rdn?: string): Promise<string>
  addGroup(cn: string, members: string[]): Promise<string>
  setMembers(group: string, members: string[]): Promise<void>
  change(dn: string, attribute: string, values: string[]): Promise<void>
  remove(dn: string): Promise<void>
  /** Suspends the server: connections are accepted but get no replies. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** A private slapd on free ports of this machine, with its own certificate authority. */
export async function startSlapd(): Promise<TestSlapd> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-slapd-'))
  const at = (name: string) => path.join(folder, name)
  const [plainPort, ldapsPort] = [await freePort(), await freePort()]
  const plain = `ldap://localhost:${plainPort}`
  const ldaps = `ldaps://localhost:${ldapsPort}`
  const authority = { name: 'Test LDAP CA', key: makeKey() }
  const other = { name: 'Another CA', key: makeKey() }
  const times = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) }
  const selfSigned = (by: typeof authority) =>
    makeCertificate({ ...by, usage: 'authority', serial: 1, ...times }, by)
  const key = makeKey()
  const ca = await selfSigned(authority)
  await mkdir(at('database'))
  await writeFile(at('ca.pem'), ca)
  await writeFile(at('key.pem'), key, { mode: 0o600 })
  await writeFile(
    at('certificate.pem'),
    await makeCertificate({ name: 'localhost', key, usage: 'server', serial: 2, ...times }, authority),
  )
  await writeFile(at('slapd.conf'), configuration(folder))
  await writeFile(at('first.ldif'), first)
  const loaded = spawnSync('/usr/sbin/slapadd', ['-f', at('slapd.conf'), '-l', at('first.ldif')], {
    encoding: 'utf8',
  })
  if (loaded.status !== 0) throw new Error(`slapadd failed: ${loaded.error?.message ?? loaded.stderr}`)

  let child: ChildProcess | undefined
  const start = async () => {
    const listen = `ldap://127.0.0.1:${plainPort} ldaps://127.0.0.1:${ldapsPort}`
    child = spawn('/usr/sbin/slapd', ['-d', '0', '-f', at('slapd.conf'), '-h', listen], { stdio: 'ignore' })
    await until(() => answers(plainPort))
  }
  const stop = async () => {
    const running = child
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    await new Promise<void>((resolve) => {
      running.once('close', () => resolve())
      running.kill('SIGKILL')
    })
  }
  const asRoot = async (work: (client: Client) => Promise<unknown>): Promise<void> => {
    const client = new Client({ url: `ldap://127.0.0.1:${plainPort}` })
    try {
      await client.bind(ROOT.dn, ROOT.password)
      await work(client)
    } finally {
      await client.unbind()
    }
  }
  const change = (dn: string, type: string, values: string[]) =>
    asRoot((client) =>
      client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) })),
    )

  await start()
  return {
    suffix: SUFFIX,
    plain,
    ldaps,
    ca,
    otherCa: await selfSigned(other),
    settings: (more = {}) => ({
      name: 'Example directory',
      url: plain,
      bindDn: `cn=search,${SUFFIX}`,
      admin_password: 'search secret',
      baseDn: `ou=people,${SUFFIX}`,
      groupBaseDn: `ou=groups,${SUFFIX}`,
      ...more,
    }),
    async addPerson(uid, more = {}, rdn = `uid=${uid}`) {
      const dn = `${rdn},ou=people,${SUFFIX}`
      const person = {
        objectClass: ['inetOrgPerson', 'shadowAccount'],
        uid,
        cn: 'Grace Hopper',
        givenName: 'Grace',
        sn: 'Hopper',
        mail: `${uid}@example.org`,
        userPassword: LDAP_PASSWORD,
      }
      await asRoot((client) => client.add(dn, { ...person, ...more }))
      return dn
    },
    async addGroup(cn, members) {
      const dn = `cn=${cn},ou=groups,${SUFFIX}`
      // The schema requires at least one member.
      const member = [`cn=no one,${SUFFIX}`, ...members]
      await asRoot((client) => client.add(dn, { objectClass: 'groupOfNames', cn, member }))
      return dn
    },
    setMembers: (group, members) => change(group, 'member', [`cn=no one,${SUFFIX}`, ...members]),
    change,
    remove: (dn) => asRoot((client) => client.del(dn)),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    stop,
    start,
    close: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The configuration, in which the search account can read all entries and people only their own. */
const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/certificate.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
suffix "${SUFFIX}"
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
directory ${folder}/database
maxsize 10485760
dbnosync
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=search,${SUFFIX}" read by self read by * none
`
const first = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: cn=search,${SUFFIX}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: search
userPassword: search secret

dn: ou=people,${SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${SUFFIX}
objectClass: organizationalUnit
ou: groups
`

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    setTimeout(() => socket.destroy(), 1000).unref()
  })
