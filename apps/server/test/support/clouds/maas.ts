import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** An API key in the format of MAAS: consumer, token and secret. */
export const API_KEY = 'consumerKEY:tokenKEY:seCret/+key'

type Machine = { system_id: string; hostname: string; status_name: string; tag_names: string[] } & Record<
  string,
  unknown
>
const machine = (number: number, more: Partial<Machine> = {}): Machine => ({
  system_id: `sys${number}`,
  hostname: `node${number}`,
  fqdn: `node${number}.maas`,
  status_name: 'Ready',
  pool: { id: 0, name: 'default', description: '' },
  zone: { id: 1, name: 'rack1', description: '' },
  tag_names: ['compute'],
  cpu_count: 32,
  memory: 131_072,
  architecture: 'amd64/generic',
  power_state: 'off',
  owner: null,
  ...more,
})

export type FakeMaas = {
  url: string
  /** Method, path and form of each call with a valid key. */
  calls: string[]
  machines: Machine[]
  /** The names of all tags; each machine lists its own. */
  tags: string[]
  user: { username: string; is_superuser: boolean }
  /** Whether released machines become available again after a moment. */
  erases: boolean
  /** Handles a request instead of the default if it returns true. */
  answer: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | null
  close(): Promise<void>
}

/** A minimal MAAS on loopback: it authenticates requests as the real one does, and keeps its machines in memory. */
export async function startMaas(): Promise<FakeMaas> {
  const maas: Omit<FakeMaas, 'url' | 'close'> = {
    calls: [],
    answer: null,
    erases: false,
    tags: ['compute'],
    user: { username: 'console', is_superuser: true },
    machines: [
      machine(1),
      machine(2, { status_name: 'Deployed', owner: 'console', power_state: 'on', cpu_count: 16 }),
      machine(3, { tag_names: ['compute', 'gpu'], cpu_count: 64, memory: 524_288 }),
      machine(4, { tag_names: ['arm'], architecture: 'arm64/generic', pool: { name: 'lab' } }),
      machine(5, { status_name: 'New', cpu_count: 0, memory: 0, tag_names: ['fresh'] }),
    ],
  }
  const images = [
    { id: 1, type: 'Synced', name: 'ubuntu/jammy', title: '22.04 LTS', architecture: 'amd64/ga-22.04' },
    { id: 2, type: 'Synced', name: 'ubuntu/jammy', title: '22.04 LTS', architecture: 'amd64/hwe-22.04' },
    { id: 3, type: 'Uploaded', name: 'custom/hpc', architecture: 'amd64/generic' },
    { id: 4, type: 'Synced', name: 'grub-efi-signed/uefi', architecture: 'amd64/generic' },
  ]
  const server = http.createServer((request, response) => void answer(request, response))
  async function answer(request: http.IncomingMessage, response: http.ServerResponse) {
    if (maas.answer?.(request, response)) return
    const send = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    if (!isRight(request.headers.authorization)) return send(401, 'Authorization Error: Invalid API key.')
    let form = ''
    for await (const piece of request) form += String(piece)
    maas.calls.push([request.method, request.url, form].filter(Boolean).join(' '))
    if (request.url === '/MAAS/api/2.0/machines/') return send(200, maas.machines)
    if (request.url === '/MAAS/api/2.0/boot-resources/') return send(200, images)
    if (request.method === 'POST' && request.url === '/MAAS/api/2.0/machines/?op=release') {
      const ids = new URLSearchParams(form).getAll('machines')
      for (const one of maas.machines)
        if (ids.includes(one.system_id)) {
          one.status_name = 'Releasing'
          if (maas.erases) setTimeout(() => Object.assign(one, { status_name: 'Ready', owner: null }), 50)
        }
      return send(200, ids)
    }
    return ofDriver(maas, request, form, send)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(maas, {
    url: `http://127.0.0.1:${port}/MAAS`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  })
}

type Send = (status: number, body: unknown) => void

/** The calls that only the driver makes: the caller's account, tags and single machines. */
function ofDriver(
  maas: Pick<FakeMaas, 'machines' | 'tags' | 'user'>,
  { method, url = '' }: http.IncomingMessage,
  form: string,
  send: Send,
): void {
  const [, what = '', name = '', operation = ''] =
    /^\/MAAS\/api\/2\.0\/(\w+)\/(?:([^/?]+)\/)?(?:\?op=(\w+))?$/.exec(url) ?? []
  if (what === 'users' && operation === 'whoami') return send(200, maas.user)
  if (what === 'tags' && name === '')
    return send(
      200,
      maas.tags.map((tag) => ({ name: tag, comment: '' })),
    )
  if (what === 'tags' && maas.tags.includes(name)) {
    if (!maas.user.is_superuser) return send(403, 'Forbidden')
    const gone =
      method === 'DELETE'
        ? maas.machines.map(({ system_id }) => system_id)
        : new URLSearchParams(form).getAll('remove')
    for (const one of maas.machines)
      if (gone.includes(one.system_id)) one.tag_names = one.tag_names.filter((tag) => tag !== name)
    if (method === 'DELETE') maas.tags = maas.tags.filter((tag) => tag !== name)
    return method === 'DELETE' ? send(204, '') : send(200, { added: 0, removed: gone.length })
  }
  const found = what === 'machines' ? maas.machines.find(({ system_id }) => system_id === name) : undefined
  if (!found) return send(404, 'Not Found')
  if (operation === 'power_on' || operation === 'power_off') {
    const state = operation === 'power_on' ? 'on' : 'off'
    setTimeout(() => (found.power_state = state), 15)
    return send(200, found)
  }
  if (operation === 'query_power_state') return send(200, { state: found.power_state })
  return send(200, found)
}

/** Whether the header is a valid OAuth 1 signature (PLAINTEXT) with the key. */
function isRight(header: string | undefined): boolean {
  const [consumer, token, secret] = API_KEY.split(':')
  const fields = Object.fromEntries(
    [...(header ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      decodeURIComponent(value ?? ''),
    ]),
  )
  return (
    (header ?? '').startsWith('OAuth ') &&
    fields.oauth_version === '1.0' &&
    fields.oauth_signature_method === 'PLAINTEXT' &&
    fields.oauth_consumer_key === consumer &&
    fields.oauth_token === token &&
    fields.oauth_signature === `&${secret}` &&
    /^\w{8,}$/.test(fields.oauth_nonce ?? '') &&
    Math.abs(Number(fields.oauth_timestamp) - Date.now() / 1000) < 60
  )
}
