import { isInCloud } from '@flotilla/contract/clusters/entity'
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { openvpnOff, openvpnOn, type MachineCommand } from '../../../cloud-init/commands'
import type { Database } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { sealContext } from '../../../secrets/sealed-values'
import type { Secrets } from '../../../secrets/secrets'
import { record, subjectOf } from '../../activities/activities'
import { platformOf } from '../connection/platform'
import { madeRange } from './made-range'
import type { CloudCluster, Deployed, StoredCluster } from '../stored-cluster'
import * as store from './store'
import { clientNetwork, clientProfile, isInside, makeTlsKey, serverConfig } from './texts'

/** Loaded on first use: the library would slow down every server start. */
const loadX509 = () => import('./x509')

const DAY_MS = 24 * 60 * 60_000
const AUTHORITY_MS = 20 * 365 * DAY_MS
const CLIENT_MS = 2 * 365 * DAY_MS
/** A certificate that expires sooner is reissued when its profile is downloaded. */
const RENEW_MS = 90 * DAY_MS
/** Allows for clock differences between machines. */
const SKEW_MS = DAY_MS

const Made = z.object({
  name: z.string(),
  caKey: z.string(),
  ca: z.string(),
  serverName: z.string(),
  serverKey: z.string(),
  serverCertificate: z.string(),
  tlsKey: z.string(),
  madeAt: z.number(),
})
type Made = z.infer<typeof Made>
const ClientKeys = z.object({ key: z.string(), certificate: z.string() })

type Options = {
  db: Database
  secrets: Secrets
  /** The cluster, if this person may see it. */
  find(me: Caller, id: string): Promise<StoredCluster>
  now: () => number
}

export type Vpn = ReturnType<typeof makeVpn>
/** The keys of a cluster's VPN: its own certificate authority, and a certificate for each person who requests one. */
export function makeVpn({ db, secrets, find, now }: Options) {
  const make = async (clusterId: string): Promise<Made> => {
    const { makeCertificate, makeKey } = await loadX509()
    const [name, serverName] = [`flotilla-${clusterId}`, `vpn-${clusterId}`]
    const [caKey, serverKey] = [makeKey(), makeKey()]
    const by = { name, key: caKey }
    const span = { from: new Date(now() - SKEW_MS), to: new Date(now() + AUTHORITY_MS) }
    const server = { name: serverName, key: serverKey, usage: 'server', serial: 2, ...span } as const
    return {
      name,
      caKey,
      ca: await makeCertificate({ name, key: caKey, usage: 'authority', serial: 1, ...span }, by),
      serverName,
      serverKey,
      serverCertificate: await makeCertificate(server, by),
      tlsKey: makeTlsKey(),
      madeAt: now(),
    }
  }
  /** Created on first use and kept as long as the cluster exists. */
  const madeFor = async (clusterId: string) => {
    if (!(await store.find(db.kysely, clusterId))) {
      const sealed = secrets.seal(JSON.stringify(await make(clusterId)), sealContext.clusterVpn(clusterId))
      await store.keep(db.kysely, { cluster_id: clusterId, sealed, last_serial: 2, installed: null })
    }
    const row = (await store.find(db.kysely, clusterId)) ?? fail('not_found')
    const made = Made.parse(
      JSON.parse(secrets.open(row.sealed, sealContext.clusterVpn(clusterId)).toString()),
    )
    return { made, installed: row.installed, networks: row.networks }
  }

  /** The person's certificate and key; reissued if they expire soon. */
  const clientKeys = async (
    me: Caller,
    clusterId: string,
    made: Made,
    request: RequestContext,
    name: string,
  ) => {
    const row = await store.clientOf(db.kysely, clusterId, me.id)
    if (row && row.expires_at.getTime() - now() > RENEW_MS)
      return ClientKeys.parse(
        JSON.parse(secrets.open(row.sealed, sealContext.clusterVpnClient(clusterId, row.serial)).toString()),
      )
    const { makeCertificate, makeKey } = await loadX509()
    const key = makeKey()
    const to = new Date(now() + CLIENT_MS)
    return request.transaction(async (tx) => {
      const serial = await store.nextSerial(tx, clusterId)
      const from = new Date(now() - SKEW_MS)
      const client = { name: me.username, key, usage: 'client', serial, from, to } as const
      const certificate = await makeCertificate(client, { name: made.name, key: made.caKey })
      await store.addClient(tx, {
        cluster_id: clusterId,
        serial,
        user_id: me.id,
        sealed: secrets.seal(
          JSON.stringify({ key, certificate }),
          sealContext.clusterVpnClient(clusterId, serial),
        ),
        made_at: new Date(now()),
        expires_at: to,
      })
      await record(tx, me, request, {
        action: 'VPN certificate issued',
        subject: { kind: 'cluster', id: clusterId, name },
      })
      return { key, certificate }
    })
  }

  /** Certificates of users who may no longer see the cluster are revoked permanently. */
  const revoked = async (clusterId: string): Promise<{ serial: number; at: Date }[]> => {
    const at = new Date(now())
    const all = await store.clients(db.kysely, clusterId, at)
    const gone = all.filter(({ revoked_at, may_see }) => !revoked_at && !may_see).map(({ serial }) => serial)
    if (gone.length > 0) await store.revoke(db.kysely, clusterId, gone, at)
    return all.flatMap(({ serial, revoked_at }) => {
      const since = revoked_at ?? (gone.includes(serial) ? at : null)
      return since ? [{ serial, at: since }] : []
    })
  }

  /** The desired configuration of the head node, and a digest of it: signatures differ each time they are made. */
  const wanted = async (cluster: CloudCluster, deployed: Deployed, keepNetworks: boolean) => {
    const { made, installed, networks: installedNetworks } = await madeFor(cluster.id)
    const networks = (keepNetworks ? installedNetworks : null) ?? networksOf(cluster, deployed)
    const list = await revoked(cluster.id)
    const parts = [made.serverCertificate, networks, list.map(({ serial }) => serial)]
    const mark = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
    const from = new Date(made.madeAt - SKEW_MS)
    const config = async () => {
      const { makeRevocations } = await loadX509()
      return serverConfig({
        clusterId: cluster.id,
        networks,
        ca: made.ca,
        certificate: made.serverCertificate,
        key: made.serverKey,
        tlsKey: made.tlsKey,
        revocations: await makeRevocations(
          { number: list.length, revoked: list, from, to: new Date(made.madeAt + AUTHORITY_MS) },
          { name: made.name, key: made.caKey },
        ),
      })
    }
    return { mark, networks, installed, config }
  }

  return {
    /** The person's own profile for an OpenVPN client. */
    async profile(
      me: Caller,
      id: string,
      request: RequestContext,
    ): Promise<{ name: string; content: string }> {
      const cluster = await find(me, id)
      const refuse = (message: string): never => fail('wrong_state', { message })
      if (!isInCloud(cluster)) return refuse('Only clusters in a cloud have a VPN')
      if (!cluster.data.server.openvpn)
        refuse(`The VPN of this cluster is off: ${cluster.owner} can turn it on`)
      const deployed =
        cluster.deployed ?? refuse('The cluster is not deployed: there is nothing to connect to')
      const head = deployed.machines.find(({ role }) => role === 'head')
      const host = head?.publicIp ?? head?.privateIp ?? refuse('The head node has no address')
      const { made } = await madeFor(id)
      const keys = await clientKeys(me, id, made, request, cluster.name)
      await db.transaction((tx) =>
        record(tx, me, request, { action: 'VPN profile downloaded', subject: subjectOf('cluster', cluster) }),
      )
      const { vpnNote } = platformOf(deployed)
      return {
        name: `${cluster.name}.ovpn`,
        content: clientProfile({
          about: [
            `Cluster ${cluster.name}, for ${me.username}. Anyone who has this file can connect: keep it private.`,
            ...(vpnNote === null ? [] : [vpnNote]),
          ],
          host,
          serverName: made.serverName,
          ca: made.ca,
          tlsKey: made.tlsKey,
          ...keys,
        }),
      }
    },

    /**
     * Reconciles the VPN on the head node: with `again` even if it should be up to date, with `edited` only who may
     * connect, since an edit is applied only on request. Returns what was done.
     */
    async reconcile(
      cluster: CloudCluster,
      deployed: Deployed,
      run: (command: MachineCommand) => Promise<unknown>,
      { again = false, edited = false } = {},
    ): Promise<'on' | 'off' | null> {
      const before = (await store.find(db.kysely, cluster.id))?.installed ?? null
      const on = edited ? before !== null : cluster.data.server.openvpn
      if (!on) {
        if (before === null) return null
        await run(openvpnOff())
        await store.setInstalled(db.kysely, cluster.id, null)
        return 'off'
      }
      const { mark, networks, installed, config } = await wanted(cluster, deployed, edited)
      if (mark === installed && !again) return null
      await run(openvpnOn(clientNetwork(cluster.id).cidr, await config()))
      await store.setInstalled(db.kysely, cluster.id, { mark, networks })
      return 'on'
    },

    /** Whether the certificate of someone who may no longer see the cluster is still valid there. */
    hasStaleClients: async (clusterId: string): Promise<boolean> =>
      (await store.clients(db.kysely, clusterId, new Date(now()))).some(
        ({ revoked_at, may_see }) => !revoked_at && !may_see,
      ),

    /** The head node is gone, and its VPN with it. */
    forget: (clusterId: string) => store.setInstalled(db.kysely, clusterId, null),
  }
}

/** The networks that the VPN routes to: those of the machines' subnets, and those of machines outside these. */
export function networksOf(
  cluster: Pick<CloudCluster, 'provider' | 'data'>,
  { machines, networks }: Pick<Deployed, 'machines' | 'networks'>,
): string[] {
  const recorded = networks.filter((network) => /^[\d.]+\/\d+$/.test(network))
  const known = recorded.length > 0 ? recorded : [madeRange(cluster)].filter(Boolean)
  const outside = machines
    .flatMap(({ privateIp }) => privateIp ?? [])
    .filter((address) => !isInside(known, address))
    .map((address) => address.replace(/\.\d+$/, '.0/24'))
  return [...known, ...new Set(outside)]
}
