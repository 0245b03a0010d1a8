import { createVerify } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { pemOf, rsaPair } from '../rsa-key'

export const PROJECT = 'flotilla-tests'
const EMAIL = `console@${PROJECT}.iam.gserviceaccount.com`
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const COMPUTE = 'https://www.googleapis.com/compute/v1/'

type Thing = {
  name: string
  selfLink: string
  status?: string
  users?: string[]
  disks?: Attached[]
} & Record<string, unknown>
type Attached = { source: string; deviceName: string; type: string; autoDelete: boolean }
type Answer = { status: number; body: unknown }

export type FakeGcp = {
  url: string
  /** The fields of the key file. */
  key: Record<string, string>
  /** By path, such as `projects/p/zones/z/instances/n`. */
  things: Map<string, Thing>
  permissions: Set<string> | 'all'
  calls: string[]
  /** Overrides the default reply of a request. */
  answer: ((method: string, url: URL) => Answer | undefined) | null
  close(): Promise<void>
}

const refused = (code: number, status: string, message: string, reason = ''): Answer => ({
  status: code,
  body: {
    error: {
      code,
      message,
      status,
      errors: [{ message, domain: 'global', reason }],
      details: reason ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] : [],
    },
  },
})

/** A minimal Google Cloud on loopback: it issues tokens for signed requests, and keeps its resources in memory. */
export async function startGcp(): Promise<FakeGcp> {
  const { privateKey, publicKey } = rsaPair()
  const publicPem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const gcp: Omit<FakeGcp, 'url' | 'close'> = {
    key: {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: 'key-1',
      // With the escaped line breaks of the key file, which some users paste.
      private_key: pemOf(privateKey).replaceAll('\n', String.raw`\n`),
      client_email: EMAIL,
      client_id: '1',
      // The driver must not use this address.
      token_uri: 'http://127.0.0.1:9/token',
    },
    things: new Map(),
    permissions: 'all',
    calls: [],
    answer: null,
  }
  const tokens = new Set<string>()
  /** Operations in progress; each is done when it is queried the second time. */
  const operations = new Map<string, { queries: number; finish: () => void }>()
  const begin = (finish: () => void): Answer => {
    const name = `operation-${operations.size}`
    operations.set(name, { queries: 0, finish })
    return { status: 200, body: { name, status: 'RUNNING' } }
  }

  function reply(method: string, url: URL, body: string, authorization = ''): Answer {
    const own = gcp.answer?.(method, url)
    if (own) return own
    if (url.href === TOKEN_URL) return login(body)
    if (!tokens.has(authorization.replace(/^Bearer /, '')))
      return refused(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
    gcp.calls.push(`${method} ${url.pathname}${url.search}`)
    if (url.host === 'cloudresourcemanager.googleapis.com') return rights(url, body)
    const path = url.pathname.replace(/^\/compute\/v1\//, '')
    if (url.host !== 'compute.googleapis.com' || !path.startsWith('projects/'))
      return { status: 404, body: {} }
    if (!path.startsWith(`projects/${PROJECT}`))
      return refused(403, 'PERMISSION_DENIED', "Required 'compute.projects.get' permission", 'forbidden')
    return compute(method, path, url)
  }

  function login(body: string): Answer {
    const form = new URLSearchParams(body)
    const wrong = (error_description: string) => ({
      status: 400,
      body: { error: 'invalid_grant', error_description },
    })
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return { status: 400, body: { error: 'unsupported_grant_type', error_description: 'no' } }
    if (payload.iss !== EMAIL) return wrong('Invalid grant: account not found')
    const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`)
    if (!verify.verify(publicPem, signature, 'base64url')) return wrong('Invalid JWT Signature.')
    const now = Date.now() / 1000
    const [from, to] = [Number(payload.iat), Number(payload.exp)]
    if (payload.aud !== TOKEN_URL || from > now + 60 || to < now || to - from > 3600)
      return wrong('Invalid JWT: Token must be a short-lived token (60 minutes).')
    if (payload.scope !== 'https://www.googleapis.com/auth/cloud-platform') return wrong('Invalid scope')
    const token = `ya29.${tokens.size}`
    tokens.add(token)
    return { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } }
  }

  function rights(url: URL, body: string): Answer {
    if (url.pathname !== `/v1/projects/${PROJECT}:testIamPermissions`)
      return refused(403, 'PERMISSION_DENIED', 'The caller does not have permission')
    const { permissions } = JSON.parse(body) as { permissions: string[] }
    const { permissions: held } = gcp
    return {
      status: 200,
      body: { permissions: permissions.filter((one) => held === 'all' || held.has(one)) },
    }
  }

  function compute(method: string, path: string, url: URL): Answer {
    const parts = path.split('/')
    if (parts.length === 2) return { status: 200, body: { name: PROJECT } }
    const [, operation] = /\/operations\/([\w-]+)\/wait$/.exec(path) ?? []
    if (operation !== undefined) return waited(operation)
    if (parts[2] === 'aggregated') return aggregated(parts[3] ?? '', url)
    if (parts.length === 4) {
      const items = [...gcp.things.entries()]
        .filter(([id]) => id.startsWith(`${path}/`))
        .map(([, one]) => one)
      return { status: 200, body: { items } }
    }
    const [, id = path, action] = /^(.*)\/(stop|start|detachDisk)$/.exec(path) ?? []
    const thing = gcp.things.get(id)
    if (!thing) return refused(404, 'NOT_FOUND', `The resource '${id}' was not found`, 'notFound')
    if (action === 'stop') {
      if (thing.disks?.some(({ type }) => type === 'SCRATCH') && !url.searchParams.get('discardLocalSsd'))
        return refused(400, 'INVALID_ARGUMENT', 'discardLocalSsd must be specified', 'invalid')
      return begin(() => (thing.status = 'TERMINATED'))
    }
    if (action === 'start') return begin(() => (thing.status = 'RUNNING'))
    if (action === 'detachDisk')
      return begin(() => {
        const name = url.searchParams.get('deviceName')
        thing.disks = thing.disks?.filter(({ deviceName }) => deviceName !== name)
      })
    if (method === 'GET') return { status: 200, body: { ...thing, users: usersOf(thing) } }
    const [user] = usersOf(thing)
    if (user)
      return refused(
        400,
        'FAILED_PRECONDITION',
        `${id} is already being used by '${user}'`,
        'resourceInUseByAnotherResource',
      )
    return begin(() => {
      gcp.things.delete(id)
      for (const { source, autoDelete } of thing.disks ?? [])
        if (autoDelete) gcp.things.delete(source.replace(COMPUTE, ''))
    })
  }

  function waited(name: string): Answer {
    const operation = operations.get(name)
    if (!operation) return refused(404, 'NOT_FOUND', 'no such operation', 'notFound')
    if (operation.queries++ === 0) return { status: 200, body: { name, status: 'RUNNING' } }
    if (operation.queries === 2) operation.finish()
    return { status: 200, body: { name, status: 'DONE' } }
  }

  function aggregated(kind: string, url: URL): Answer {
    const filter = url.searchParams.get('filter')
    const [, wanted] = /^labels\.flotilla_cluster=(.*)$/.exec(filter ?? '') ?? []
    const all = [...gcp.things.entries()]
      .filter(([id]) => id.split('/').at(-2) === kind)
      .filter(([, { labels }]) => {
        const cluster = (labels as Record<string, string> | undefined)?.flotilla_cluster
        return filter === null || (wanted === undefined ? cluster !== undefined : cluster === wanted)
      })
    // Like the real API, the list has pages, grouped by zone or region, and a warning for an empty zone.
    const from = Number(url.searchParams.get('pageToken') || 0)
    const items: Record<string, object> = { 'zones/us-east1-b': { warning: { code: 'NO_RESULTS_ON_PAGE' } } }
    for (const [id, thing] of all.slice(from, from + 2)) {
      const place = id.split('/').slice(2, 4).join('/')
      items[place] = { [kind]: [...((items[place] as Record<string, object[]>)?.[kind] ?? []), thing] }
    }
    return {
      status: 200,
      body: { items, ...(all.length > from + 2 && { nextPageToken: String(from + 2) }) },
    }
  }

  /** The links of the resources that refer to it. */
  const usersOf = (thing: Thing): string[] =>
    [...gcp.things.values()]
      .filter((other) => other !== thing && JSON.stringify(other).includes(`"${thing.selfLink}"`))
      .map(({ selfLink }) => selfLink)

  const server = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const piece of request) body += String(piece)
      // The driver sends every request here, with the host as the first segment of the path.
      const url = new URL(`https:/${request.url}`)
      const answer = reply(request.method ?? '', url, body, request.headers.authorization)
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(gcp, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

/** Everything that the Google Cloud module creates for a cluster of a head node, a node and a disk. */
export function makeGcpCluster(gcp: FakeGcp, cluster: string, region = 'us-west1') {
  const add = (place: string, kind: string, name: string, more: Record<string, unknown> = {}): string => {
    const id = `projects/${PROJECT}/${place}/${kind}/${name}`
    gcp.things.set(id, { name, selfLink: COMPUTE + id, ...more })
    return COMPUTE + id
  }
  const zone = `zones/${region}-a`
  const labels = { flotilla_cluster: cluster }
  const description = `flotilla_cluster=${cluster}`
  const network = add('global', 'networks', cluster, { description })
  const subnetwork = add(`regions/${region}`, 'subnetworks', cluster, { description, network })
  add(`regions/${region}`, 'routers', cluster, {
    description,
    network,
    nats: [{ subnetworks: [subnetwork] }],
  })
  const policy = add(`regions/${region}`, 'resourcePolicies', `${cluster}-node-1`, { description })
  add('global', 'firewalls', `${cluster}-ssh`, { description, network })
  const address = add(`regions/${region}`, 'addresses', `${cluster}-head`, { description, labels })
  const disk = (name: string, sizeGb: string) =>
    add(zone, 'disks', name, {
      labels,
      sizeGb,
      type: `${COMPUTE}projects/${PROJECT}/${zone}/diskTypes/pd-balanced`,
    })
  const data = disk(`${cluster}-disk-data`, '100')
  const attached = (source: string, deviceName: string) => ({
    source,
    deviceName,
    type: 'PERSISTENT',
    autoDelete: false,
  })
  const machine = (name: string, disks: object[]) =>
    add(zone, 'instances', `${cluster}-${name}`, {
      labels,
      status: 'RUNNING',
      machineType: `${COMPUTE}projects/${PROJECT}/${zone}/machineTypes/n1-standard-8`,
      networkInterfaces: [{ subnetwork, accessConfigs: name === 'head' ? [address] : [] }],
      ...(name === 'node1' && { resourcePolicies: [policy] }),
      disks: [attached(disk(`${cluster}-${name}`, '50'), 'boot'), ...disks],
    })
  const scratch = { source: '', deviceName: 'local', type: 'SCRATCH', autoDelete: true }
  const machines = [machine('head', [attached(data, 'data')]), machine('node1', [scratch])]
  return {
    machines: machines.map((link) => link.replace(COMPUTE, '')),
    disk: data.replace(COMPUTE, ''),
  }
}
