import { createHash, createVerify, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pemOf, rsaPair } from '../rsa-key'

const TENANCY = 'ocid1.tenancy.oc1..tests'
const USER = 'ocid1.user.oc1..console'
const COMPARTMENT = 'ocid1.compartment.oc1..hpc'

type Thing = {
  id: string
  /** The collection in its URL, such as instances or vcns. */
  list: string
  lifecycleState: string
  displayName: string
  freeformTags: Record<string, string>
} & Record<string, unknown>
type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

export type FakeOracle = {
  url: string
  /** The fields of the credential. */
  key: Record<string, string>
  things: Map<string, Thing>
  /** Used and available resources of each service limit, by its name. */
  limits: Record<string, { used: number; available: number; padding?: string }>
  /** Collections that the caller may not access. */
  hidden: Set<string>
  calls: string[]
  /** The difference between its clock and ours. */
  clockMs: number
  close(): Promise<void>
}

const refused = (status: number, code: string, message: string): Answer => ({
  status,
  body: { code, message },
})
const hiddenOrGone = refused(
  404,
  'NotAuthorizedOrNotFound',
  'Authorization failed or requested resource not found.',
)

/** A minimal Oracle Cloud on loopback: it verifies every signature, and keeps its resources in memory. */
export async function startOracle(): Promise<FakeOracle> {
  const { privateKey, publicKey } = rsaPair()
  const digest = createHash('md5')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
  const fingerprint = digest.match(/../g)?.join(':') ?? ''
  const oracle: Omit<FakeOracle, 'url' | 'close'> = {
    key: {
      user_ocid: USER,
      tenancy_ocid: TENANCY,
      compartment_ocid: COMPARTMENT,
      fingerprint,
      key_file: pemOf(privateKey),
    },
    things: new Map(),
    limits: { 'vcn-count': { used: 1, available: 49 } },
    hidden: new Set(),
    calls: [],
    clockMs: 0,
  }

  /** Why a signature is invalid, or null. It must cover the headers that Oracle requires and the digest of the body. */
  function signatureError(request: http.IncomingMessage, body: string): string | null {
    const { headers } = request
    const fields: Partial<Record<string, string>> = Object.fromEntries(
      [...(headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    if (fields.version !== '1' || fields.algorithm !== 'rsa-sha256')
      return 'Failed to verify the HTTP(S) Signature'
    if (fields.keyId !== `${TENANCY}/${USER}/${fingerprint}`) return 'Failed to verify the HTTP(S) Signature'
    const signed = (fields.headers ?? '').toLowerCase().split(' ')
    const needed = ['x-date', '(request-target)', 'host']
    if (request.method === 'POST') needed.push('content-type', 'content-length', 'x-content-sha256')
    if (needed.some((name) => !signed.includes(name))) return 'The required information was not signed'
    const digestOfBody = createHash('sha256').update(body).digest('base64')
    if (request.method === 'POST' && headers['x-content-sha256'] !== digestOfBody)
      return 'The body was changed'
    const text = signed
      .map((name) =>
        name === '(request-target)'
          ? `${name}: ${request.method?.toLowerCase()} ${request.url}`
          : `${name}: ${String(headers[name])}`,
      )
      .join('\n')
    if (
      !createVerify('RSA-SHA256')
        .update(text)
        .verify(publicKey, fields.signature ?? '', 'base64')
    )
      return 'Failed to verify the HTTP(S) Signature'
    const apart = Math.abs(Date.parse(String(headers['x-date'])) - (Date.now() + oracle.clockMs))
    return apart > 5 * 60_000 ? `Date '${String(headers['x-date'])}' is not within allowed clock skew.` : null
  }

  const users = (thing: Thing) =>
    [...oracle.things.values()].filter(
      (other) =>
        other !== thing &&
        !['TERMINATED', 'DELETED'].includes(other.lifecycleState) &&
        JSON.stringify(other).includes(`"${thing.id}"`),
    )

  function reply(method: string, url: URL): Answer {
    const [, , list = '', id, ...rest] = url.pathname.split('/')
    if (oracle.hidden.has(list)) return hiddenOrGone
    if (list === 'users' && id === USER)
      return { status: 200, body: { id, name: 'console', description: '' } }
    if (list === 'compartments' && id === COMPARTMENT)
      return { status: 200, body: { id, name: 'hpc', description: '' } }
    if (list === 'availabilityDomains')
      return { status: 200, body: [1, 2].map((number) => ({ name: `Uocm:US-ASHBURN-AD-${number}` })) }
    if (list === 'services') return limit(rest[1] ?? '', url)
    if (id === undefined) return listed(list, url)
    const thing = oracle.things.get(decodeURIComponent(id))
    if (!thing || thing.list !== list || rest.length > 0) return hiddenOrGone
    if (method === 'GET') return { status: 200, body: thing }
    const action = url.searchParams.get('action')
    const later = (state: string, then: string) => {
      thing.lifecycleState = state
      setTimeout(() => (thing.lifecycleState = then), 15)
    }
    if (action === 'SOFTSTOP') later('STOPPING', 'STOPPED')
    else if (action === 'START') later('STARTING', 'RUNNING')
    else if (method !== 'DELETE') return refused(400, 'InvalidParameter', 'no such action')
    else if (list === 'volumeAttachments') later('DETACHING', 'DETACHED')
    else {
      const [user] = users(thing).filter(({ lifecycleState }) => lifecycleState !== 'DETACHED')
      if (user) return refused(409, 'Conflict', `The ${list} is used by ${user.id}`)
      if (list === 'computeClusters') thing.lifecycleState = 'DELETED'
      else later('TERMINATING', 'TERMINATED')
    }
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: thing }
  }

  /** Limits of machines are per availability domain, the others per region. */
  function limit(name: string, url: URL): Answer {
    const found = oracle.limits[name]
    if (!found || url.searchParams.get('compartmentId') !== COMPARTMENT) return hiddenOrGone
    const domain = url.searchParams.get('availabilityDomain')
    return (name === 'vcn-count') === (domain === null)
      ? { status: 200, body: found }
      : refused(400, 'InvalidParameter', 'The availability domain does not fit the scope of the limit')
  }

  function listed(list: string, url: URL): Answer {
    const set = url.searchParams.get('exportSetId')
    if (set === null && url.searchParams.get('compartmentId') !== COMPARTMENT) return hiddenOrGone
    const domain = url.searchParams.get('availabilityDomain')
    const volume = url.searchParams.get('volumeId')
    const all = [...oracle.things.values()].filter(
      (one) =>
        one.list === list &&
        (volume === null || one.volumeId === volume) &&
        (set === null || one.exportSetId === set) &&
        (list !== 'mountTargets' || one.availabilityDomain === domain),
    )
    // Like the real API, the list has pages and includes deleted resources.
    const from = Number(url.searchParams.get('page') ?? 0)
    return {
      status: 200,
      // Newer APIs wrap the list in a collection.
      body: list === 'computeClusters' ? { items: all.slice(from, from + 1) } : all.slice(from, from + 1),
      ...(all.length > from + 1 && { headers: { 'opc-next-page': String(from + 1) } }),
    }
  }

  const server = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const piece of request) body += String(piece)
      const why = signatureError(request, body)
      const url = new URL(request.url ?? '/', 'http://oracle')
      if (why === null) oracle.calls.push(`${request.method} ${url.pathname}${url.search}`)
      const answer = why === null ? reply(request.method ?? '', url) : refused(401, 'NotAuthenticated', why)
      response
        .writeHead(answer.status, {
          'content-type': 'application/json',
          'opc-request-id': randomUUID(),
          ...answer.headers,
        })
        .end(answer.body === undefined ? '' : JSON.stringify(answer.body))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(oracle, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

/** Everything that the Oracle Cloud module creates for a cluster of a head node, a node and a disk. */
export function makeOracleCluster(oracle: FakeOracle, cluster: string) {
  const add = (list: string, name: string, more: Record<string, unknown> = {}): string => {
    const id = `ocid1.${list.toLowerCase()}.oc1.iad.${cluster}-${name}`
    oracle.things.set(id, {
      id,
      list,
      lifecycleState: 'AVAILABLE',
      displayName: `${cluster}-${name}`,
      freeformTags: { flotilla_cluster: cluster },
      compartmentId: COMPARTMENT,
      ...more,
    })
    return id
  }
  const vcnId = add('vcns', 'network')
  const internet = add('internetGateways', 'internet', { vcnId })
  const nat = add('natGateways', 'nat', { vcnId })
  add('localPeeringGateways', 'peering', { vcnId })
  const routeTable = (name: string, to: string) =>
    add('routeTables', name, { vcnId, routeRules: [{ networkEntityId: to }] })
  const tables = [routeTable('public', internet), routeTable('private', nat)]
  const securityListIds = [add('securityLists', 'network', { vcnId })]
  const subnets = tables.map((routeTableId, index) =>
    add('subnets', `subnet${index}`, { vcnId, routeTableId, securityListIds }),
  )
  add('networkSecurityGroups', 'cluster', { vcnId })
  const computeClusterId = add('computeClusters', 'rdma', { lifecycleState: 'ACTIVE' })
  const machines = ['head', 'node1'].map((name, index) =>
    add('instances', name, {
      ...(name === 'node1' && { computeClusterId }),
      lifecycleState: 'RUNNING',
      shape: 'VM.Standard.E4.Flex',
      shapeConfig: { ocpus: 4, memoryInGBs: 64 },
      createVnicDetails: { subnetId: subnets[index] },
    }),
  )
  const volume = add('volumes', 'data', { sizeInGBs: 100, vpusPerGB: 10 })
  add('volumeAttachments', 'data', {
    lifecycleState: 'ATTACHED',
    instanceId: machines[0],
    volumeId: volume,
    attachmentType: 'paravirtualized',
    freeformTags: {},
  })
  // The network's default security list has no tag.
  add('securityLists', 'default', { vcnId: '', freeformTags: {} })
  return { machines, volume, vcn: vcnId }
}
