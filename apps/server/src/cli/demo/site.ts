import path from 'node:path'
import { api } from '@flotilla/contract/api'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import type { Database } from '../../db/database'
import { simulatedFolder } from '../../modules/clouds/clouds'
import { keep } from '../../modules/providers/store'
import { cloudProviders } from '../../providers/registry'
import * as settings from '../../modules/settings/store'
import { writeDurably } from '@flotilla/system/durable-file'
import { mkdir } from 'node:fs/promises'
import { clusters, credentials, diskPrices, REVOKED } from './clusters/clusters'
import type { Session, Sessions } from './session'
import { DAY_MS, daysAgo } from './time'

/** The label that every page shows, set the way an operator would. */
export async function labelSite(dataDir: string): Promise<void> {
  const assets = path.join(dataDir, 'assets')
  await mkdir(assets, { recursive: true, mode: 0o700 })
  const config = { siteLabel: 'Demo data' }
  await writeDurably(path.join(assets, 'config.json'), `${JSON.stringify(config, null, 2)}\n`)
}

const ANNOUNCEMENT =
  'Maintenance on Aurora this weekend: all nodes get a new kernel. Jobs that cannot finish by Saturday 06:00 UTC will start on Monday.'

const torque = {
  file: 'deb [trusted=yes] https://packages.example.org/torque stable main',
  key: '',
  headPackages: ['torque-server', 'torque-client'],
  nodePackages: ['torque-mom', 'torque-client'],
}

/** Configures what an admin sets up once. */
export async function seedSite(
  db: Database,
  dataDir: string,
  session: Sessions,
  now: number,
): Promise<Map<string, string>> {
  const grace = await session('grace')
  const before = await grace(api.credentials.list, {})
  if (before.length === 0) {
    // The price of the site's own machines applies from the time at which it was set.
    await settings.setLocalPrices(db.kysely, { perCoreHour: 0.05, perGpuHour: 0.9 }, daysAgo(now, 20))
    await seedPrices(db, now)
    await grace(api.settings.setTorqueSource, { body: torque })
    await grace(api.settings.setSecurity, { body: { selfRegisteredAccess: 'after-approval' } })
  }
  const known = new Map(before.map(({ name, id }) => [name, id]))
  for (const { name, provider, data } of credentials) {
    if (known.has(name)) continue
    const body = { name, provider, data, collaborators: ['maria', 'tomasz'] }
    const { id } = await grace(api.credentials.create, { body })
    known.set(name, id)
    await testCredential(grace, dataDir, { name, id })
  }
  await seedDirectory(grace)
  await seedTokens(await session('maria'))
  const { announcement } = await grace(api.announcements.view, {})
  if (!announcement)
    await grace(api.announcements.set, { body: { text: ANNOUNCEMENT, endsAt: now + 5 * DAY_MS } })
  return known
}

/** Adds prices of disks, which the built-in catalogs do not have. */
async function seedPrices(db: Database, now: number): Promise<void> {
  for (const { provider, data } of clusters) {
    const disks = diskPrices[provider]
    const region = data.network?.region_id ?? ''
    const catalog = await cloudProviders[provider].catalog()
    if (!disks || !catalog) continue
    await keep(db.kysely, {
      provider,
      region,
      source: 'demo prices',
      synced_at: daysAgo(now, 24),
      sizes: [],
      prices: catalog.prices[region] ?? {},
      beside: { disks, fastRestore: null },
    })
  }
}

async function testCredential(
  grace: Session,
  dataDir: string,
  { name, id }: { name: string; id: string },
): Promise<void> {
  const simulated = simulatedFolder(dataDir)
  if (name === REVOKED) await setFaults(simulated, { '*': { fault: 'badCredential' } })
  await grace(api.credentials.test, { body: { id } })
  if (name === REVOKED) await setFaults(simulated, {})
}

/** Adds a directory, which is not active because there is no such server. */
async function seedDirectory(grace: Session): Promise<void> {
  if ((await grace(api.ldapServers.list, {})).length > 0) return
  await grace(api.ldapServers.create, {
    body: {
      name: 'Campus directory',
      url: 'ldaps://ldap.example.org',
      bindDn: 'cn=console,ou=services,dc=example,dc=org',
      admin_password: 'demo',
      baseDn: 'ou=people,dc=example,dc=org',
      groupBaseDn: 'ou=groups,dc=example,dc=org',
      roleGroups: {
        admin: ['cn=hpc-admins,ou=groups,dc=example,dc=org'],
        instructor: ['cn=lecturers,ou=groups,dc=example,dc=org'],
        user: ['cn=hpc-users,ou=groups,dc=example,dc=org'],
      },
      active: false,
    },
  })
}

async function seedTokens(maria: Session): Promise<void> {
  if ((await maria(api.accessTokens.list, {})).length > 0) return
  await maria(api.accessTokens.create, { body: { name: 'Grading script', scope: 'jobs', days: 90 } })
}
