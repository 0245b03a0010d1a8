import { api } from '@flotilla/contract/api'
import type { Machine } from '@flotilla/contract/clusters/cloud'
import * as store from '../../../src/modules/clusters/store'
import { Deployed, requireCloud, type CloudCluster } from '../../../src/modules/clusters/stored-cluster'
import { madeFrom } from '../../../src/modules/clusters/wanted-nodes'
import type { TestApp } from '../app/app'

export async function awsCredential(app: TestApp, as: string, name = 'AWS'): Promise<string> {
  const body = { name, provider: 'aws', data: { access_key: 'a', secret_key: 'b' } } as const
  return (await app.must(api.credentials.create, { body }, { token: as })).id
}

/** A cluster on AWS that exists only in the database; tests set its machines. */
export async function cloudRow(
  app: TestApp,
  as: string,
  more: { info?: object; data?: object; collaborators?: string[]; credential?: string } = {},
): Promise<string> {
  const cluster = {
    name: 'Made by a test',
    provider: 'aws' as const,
    credential_id: more.credential ?? (await awsCredential(app, as)),
    collaborators: more.collaborators ?? [],
    info: { 'os-type': 'debian-12', ...more.info },
    data: { manager: 'slurm' as const, network: { region_id: 'us-east-1' }, ...more.data },
  }
  return (await app.must(api.clusters.create, { body: cluster }, { token: as })).id
}

export async function rowOf({ db }: TestApp, id: string) {
  const row = await store.findAny(db.kysely, id)
  if (!row) throw new Error('there is no such cluster')
  return row
}
export const cloudClusterOf = async (app: TestApp, id: string): Promise<CloudCluster> =>
  requireCloud(await rowOf(app, id))

export const machine = (name: string, role: Machine['role'], address: string) => ({
  id: `i-${name}`,
  name,
  role,
  group: role === 'head' ? null : 0,
  instance_id: 't3.small',
  cores: 1,
  gpus: 0,
  privateIp: address,
  publicIp: null,
})

/** Marks the cluster as deployed with these machines. */
export async function setMachines(
  app: TestApp,
  id: string,
  machines: ReturnType<typeof machine>[],
  more: Partial<Deployed> = {},
): Promise<void> {
  const made = madeFrom(await cloudClusterOf(app, id))
  const deployed = Deployed.parse({ simulated: false, disks: {}, ...more, machines, madeFrom: made })
  const names = machines.filter(({ role }) => role === 'node').map(({ name }) => name)
  await store.update(app.db.kysely, id, { deployed, up_nodes: names, state: 'available' })
}
