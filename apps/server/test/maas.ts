import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key of the form that MAAS gives: consumer, token and secret. */
export const API_KEY = 'consumerKEY:tokenKEY:seCret/+key'

type Machine = { system_id: string; hostname: string; status_name: string } & Record<string, unknown>
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
  /** Method, path and form of each call that came with the right key. */
  calls: string[]
  machines: Machine[]
  /** Answers instead of the usual. */
  answer: ((request: http.IncomingMessage, response: http.ServerResponse) => boolean) | null
  close(): Promise<void>
}

/** A small MAAS on loopback: it checks who is calling as the real one does, and keeps its machines in memory. */
export async function startMaas(): Promise<FakeMaas> {
  const maas: Omit<FakeMaas, 'url' | 'close'> = {
    calls: [],
    answer: null,
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
      for (const one of maas.machines) if (ids.includes(one.system_id)) one.status_name = 'Releasing'
      return send(200, ids)
    }
    return send(404, 'Not Found')
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(maas, {
    url: `http://127.0.0.1:${port}/MAAS`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  })
}

/** OAuth 1 with a plain signature: every part is there, and the secret is the one of the key. */
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
