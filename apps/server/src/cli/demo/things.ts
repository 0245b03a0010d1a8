import { setTimeout as sleep } from 'node:timers/promises'

/** Calls the demo's own interface as a person, as a browser would. */
async function speakAs(url: string, username: string, password: string) {
  const call = async (method: string, route: string, body?: object | FormData, token?: string) => {
    const isForm = body instanceof FormData
    const reply = await fetch(new URL(route, url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${route} answered ${reply.status}: ${await reply.text()}`)
    return reply.json()
  }
  const { token } = (await call('POST', '/api/auth/login', { username, password })) as { token: string }
  return async <T>(method: string, route: string, body?: object | FormData): Promise<T> =>
    (await call(method, route, body, token)) as T
}

type Thing = { id: string }
type Cluster = Thing & { info: { state: string } }

/** Keys of nobody's: the simulated clouds take everything. */
const keys = {
  aws: { access_key: 'AKIADEMO', secret_key: 'of the demo' },
  azure: { subscription_id: 'demo', client_id: 'demo', tenant_id: 'demo', client_secret: 'of the demo' },
}

const analysis = (name: string, script: string, seconds: number) => ({
  job: { name, data: { script: `#!/bin/sh\n${script}\nsleep ${seconds}\necho done\n` } },
})

/**
 * Credentials, an image, clusters in simulated clouds and some jobs, so that there is something to look at. Made once,
 * while the demo runs already.
 */
export async function seedThings(url: string, password: string): Promise<void> {
  const call = await speakAs(url, 'grace', password)
  if ((await call<Thing[]>('GET', '/api/credentials/')).length > 0) return
  const credential = (name: string, provider: keyof typeof keys) =>
    call<Thing>('POST', '/api/credentials/', {
      credentials: { name, provider, data: keys[provider], collaborators: ['maria'] },
    })
  const aws = await credential('Research account', 'aws')
  const azure = await credential('Teaching subscription', 'azure')

  const form = new FormData()
  const image = {
    manager: 'slurm',
    region_id: 'eu-west-1',
    instance_id: 't3.large',
    source_os_type: 'ubuntu-22.04',
  }
  form.append(
    'stack',
    JSON.stringify({ name: 'Course image', provider: 'aws', credential_id: aws.id, data: image }),
  )
  const stack = await call<Thing>('POST', '/api/stacks/', form)
  await call('POST', '/api/stacks/build', { id: stack.id })

  const cluster = async (name: string, provider: keyof typeof keys, data: object): Promise<Thing> =>
    call<Thing>('POST', '/api/clusters/', {
      cluster: {
        name,
        provider,
        credential_id: provider === 'aws' ? aws.id : azure.id,
        info: { 'os-type': 'ubuntu-22.04' },
        forEveryone: true,
        data: { manager: 'slurm', ...data },
      },
    })
  const aurora = await cluster('Aurora', 'aws', {
    network: { region_id: 'eu-west-1', zone_id: 'eu-west-1a' },
    server: { instance_id: 't3.large' },
    node: { group: [{ count: 4, instance_id: 'c5.xlarge' }] },
    disks: [{ name: 'data', size: 500 }],
  })
  await cluster('Teaching lab', 'azure', {
    network: { region_id: 'eastus' },
    server: { instance_id: 'Standard_D4s_v5' },
    node: { group: [{ count: 8, instance_id: 'Standard_D4s_v5' }] },
  })
  await call('POST', '/api/clusters/deploy', { id: aurora.id })
  for (let looks = 0; looks < 120; looks++) {
    if ((await call<Cluster>('GET', `/api/clusters/${aurora.id}`)).info.state === 'available') break
    await sleep(1000)
  }
  const jobs = [
    analysis('assemble genome', 'for step in trim align sort; do echo "$step"; sleep 1; done', 1),
    analysis('climate ensemble', 'for year in 2024 2025 2026; do echo "year $year"; sleep 2; done', 600),
    analysis('render frames', 'echo frame 1 of 240', 900),
  ]
  for (const body of jobs) {
    const { id } = await call<Thing>('POST', '/api/jobs/', body)
    await call('POST', '/api/jobs/submit', { id, cluster: aurora.id, runAsAdmin: false })
  }
}
