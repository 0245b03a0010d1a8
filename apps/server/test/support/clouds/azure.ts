import http from 'node:http'
import type { AddressInfo } from 'node:net'

const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555'
const TENANT = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
export const AZURE_KEY = {
  client_id: '99999999-8888-7777-6666-555555555555',
  client_secret: 'the~Secret.Value',
  subscription_id: SUBSCRIPTION,
  tenant_id: TENANT,
}
const LOGIN = 'login.microsoftonline.com'
const ARM = 'https://management.azure.com'
const TOKEN = 'token-of-the-loopback-azure'

type Resource = {
  id: string
  name: string
  type: string
  location: string
  tags: Record<string, string>
  properties: Record<string, unknown>
  managedBy?: string
  sku?: { name: string }
}
type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

export type FakeAzure = {
  url: string
  /** By lowercase id. */
  resources: Map<string, Resource>
  power: Map<string, string>
  permissions: { actions: string[]; notActions: string[] }[]
  registered: boolean
  calls: string[]
  /** Overrides the default reply of a request. */
  answer: ((method: string, url: URL, body: string) => Answer | undefined) | null
  close(): Promise<void>
}

const refused = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
})

/** A minimal Azure on loopback: it issues tokens to clients with the secret, and keeps its resources in memory. */
export async function startAzure(): Promise<FakeAzure> {
  const azure: Omit<FakeAzure, 'url' | 'close'> = {
    resources: new Map(),
    power: new Map(),
    permissions: [{ actions: ['*'], notActions: ['Microsoft.Authorization/*/Write'] }],
    registered: true,
    calls: [],
    answer: null,
  }
  /** Long-running operations, and whether each is finished. */
  const operations = new Map<string, { over: boolean }>()
  const server = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const piece of request) body += String(piece)
      // The driver sends every request here, with the host as the first segment of the path.
      const url = new URL(`https:/${request.url}`)
      const {
        status,
        body: answer,
        headers,
      } = reply(request.method ?? '', url, body, request.headers.authorization)
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(answer === undefined ? '' : JSON.stringify(answer))
    })()
  })
  const later = (then: () => void): Answer => {
    const id = `op${operations.size}`
    const operation = { over: false }
    operations.set(id, operation)
    setTimeout(() => {
      then()
      operation.over = true
    }, 15)
    return {
      status: 202,
      headers: { 'azure-asyncoperation': `${ARM}/operations/${id}?api-version=1` },
    }
  }

  function reply(method: string, url: URL, body: string, authorization = ''): Answer {
    const own = azure.answer?.(method, url, body)
    if (own) return own
    const path = url.pathname
    if (url.host === LOGIN) return login(path, body)
    if (url.origin !== ARM) return { status: 404 }
    if (authorization !== `Bearer ${TOKEN}`)
      return refused(401, 'InvalidAuthenticationToken', 'The access token is invalid.')
    if (!url.searchParams.get('api-version'))
      return refused(400, 'MissingApiVersionParameter', 'The api-version query parameter is required.')
    azure.calls.push(`${method} ${path}`)
    const [, operation] = /^\/operations\/(\w+)$/.exec(path) ?? []
    if (operation !== undefined) return progress(operation)
    if (!path.startsWith(`/subscriptions/${SUBSCRIPTION}`))
      return refused(404, 'SubscriptionNotFound', 'The subscription could not be found.')
    return (
      ofSubscription(path.slice(`/subscriptions/${SUBSCRIPTION}`.length), url) ??
      ofResource(method, path, body)
    )
  }

  function progress(id: string): Answer {
    const operation = operations.get(id)
    if (!operation) return refused(404, 'NotFound', 'no such operation')
    return { status: 200, body: { status: operation.over ? 'Succeeded' : 'InProgress' } }
  }

  const listed = (is: (one: Resource) => boolean): Answer => ({
    status: 200,
    body: { value: [...azure.resources.values()].filter(is) },
  })
  const isGroup = ({ type }: Resource) => type === 'Microsoft.Resources/resourceGroups'

  function ofSubscription(path: string, url: URL): Answer | undefined {
    if (path === '')
      return { status: 200, body: { subscriptionId: SUBSCRIPTION, displayName: 'Tests', state: 'Enabled' } }
    if (path === '/providers/Microsoft.Authorization/permissions')
      return { status: 200, body: { value: azure.permissions } }
    if (/^\/providers\/Microsoft\.(Compute|Network)$/.test(path))
      return { status: 200, body: { registrationState: azure.registered ? 'Registered' : 'NotRegistered' } }
    if (path === '/resourcegroups') return listed(isGroup)
    if (path === '/providers/Microsoft.Compute/virtualMachines')
      return listed(({ type }) => type === 'Microsoft.Compute/virtualMachines')
    if (path === '/providers/Microsoft.Compute/disks')
      return listed(({ type }) => type === 'Microsoft.Compute/disks')
    if (path === '/resources') {
      const [, value] = /tagValue eq '(.*)'$/.exec(url.searchParams.get('$filter') ?? '') ?? []
      const all = [...azure.resources.values()].filter(
        (one) =>
          !isGroup(one) && !isPart(one) && (value === undefined || one.tags.flotilla_cluster === value),
      )
      // Like the real API, the list has pages, some uppercase ids, and no tags when it is filtered by one.
      const items = all.map(({ tags, ...one }) => ({
        ...one,
        id:
          one.type === 'Microsoft.Compute/disks'
            ? one.id.replace(/(?<=resourceGroups\/)[^/]+/, upper)
            : one.id,
        ...(value === undefined && { tags }),
      }))
      const skip = Number(url.searchParams.get('$skiptoken') ?? 0)
      const next = new URL(url)
      next.searchParams.set('$skiptoken', String(skip + 3))
      return {
        status: 200,
        body: { value: items.slice(skip, skip + 3), ...(items.length > skip + 3 && { nextLink: next.href }) },
      }
    }
    return undefined
  }

  function ofResource(method: string, path: string, body: string): Answer {
    const [, inGroup] = /^(.*\/resourceGroups\/[^/]+)\/resources$/i.exec(path) ?? []
    if (inGroup !== undefined)
      return listed((one) => one.id.toLowerCase().startsWith(`${inGroup.toLowerCase()}/`) && !isPart(one))
    const [, id = path, action] =
      /^(.*)\/(deallocate|start|instanceView|attachDetachDataDisks)$/.exec(path) ?? []
    const key = id.toLowerCase()
    const one = azure.resources.get(key)
    if (!one)
      return method === 'DELETE' ? { status: 204 } : refused(404, 'ResourceNotFound', `${id} was not found.`)
    if (action === 'instanceView')
      return {
        status: 200,
        body: { statuses: [{ code: `PowerState/${azure.power.get(key) ?? 'running'}` }] },
      }
    if (action === 'deallocate') return later(() => azure.power.set(key, 'deallocated'))
    if (action === 'start') return later(() => azure.power.set(key, 'running'))
    if (action === 'attachDetachDataDisks') {
      const { dataDisksToDetach = [] } = JSON.parse(body) as { dataDisksToDetach?: { diskId: string }[] }
      return later(() => {
        for (const { diskId } of dataDisksToDetach)
          delete azure.resources.get(diskId.toLowerCase())?.managedBy
      })
    }
    if (method === 'GET') return { status: 200, body: withSubnets(azure.resources, one) }
    if (method === 'PUT') {
      Object.assign(one, JSON.parse(body))
      return { status: 200, body: one }
    }
    const user = userOf(azure.resources, one)
    if (user) return refused(400, 'InUse', `${one.id} is used by ${user.id}.`)
    return later(() => {
      for (const other of azure.resources.keys())
        if (other === key || other.startsWith(`${key}/`)) azure.resources.delete(other)
      for (const other of azure.resources.values())
        if (other.managedBy?.toLowerCase() === key) delete other.managedBy
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(azure, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

const upper = (text: string) => text.toUpperCase()

function login(path: string, body: string): Answer {
  const form = new URLSearchParams(body)
  const wrong = (status: number, error: string, code: number, message: string): Answer => ({
    status,
    body: { error, error_description: `AADSTS${code}: ${message}`, error_codes: [code] },
  })
  if (path !== `/${TENANT}/oauth2/v2.0/token`)
    return wrong(400, 'invalid_request', 90_002, 'Tenant not found.')
  if (form.get('grant_type') !== 'client_credentials' || !form.get('scope')?.includes(`${ARM}/.default`))
    return wrong(400, 'invalid_request', 900_144, 'The request body must contain more.')
  if (form.get('client_id') !== AZURE_KEY.client_id)
    return wrong(400, 'unauthorized_client', 700_016, 'Application was not found in the directory.')
  if (form.get('client_secret') !== AZURE_KEY.client_secret)
    return wrong(401, 'invalid_client', 7_000_215, 'Invalid client secret provided.')
  return { status: 200, body: { token_type: 'Bearer', expires_in: 3599, access_token: TOKEN } }
}

/** Whether it is part of another resource, such as a subnet, which only its network lists. */
const isPart = ({ type }: Resource) => type.split('/').length > 2

/** A NAT gateway lists the subnets that use it. */
function withSubnets(resources: Map<string, Resource>, one: Resource): Resource {
  if (one.type !== 'Microsoft.Network/natGateways') return one
  const subnets = [...resources.values()]
    .filter(({ properties }) => JSON.stringify(properties.natGateway ?? '').includes(`"${one.id}"`))
    .map(({ id }) => ({ id }))
  return { ...one, properties: { ...one.properties, subnets } }
}

/** A resource that refers to this one or a part of it; Azure refuses to delete what is in use. */
function userOf(resources: Map<string, Resource>, one: Resource): Resource | undefined {
  if (one.managedBy) return resources.get(one.managedBy.toLowerCase())
  return [...resources.values()].find(({ id, properties, type }) => {
    const named = JSON.stringify(properties)
    const apart = id !== one.id && !id.startsWith(`${one.id}/`) && !type.endsWith('/disks')
    return apart && (named.includes(`"${one.id}"`) || named.includes(`"${one.id}/`))
  })
}
