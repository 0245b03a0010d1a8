import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import type { ProviderId } from '@flotilla/contract/site/config'
import { Stack, type StackInput } from '@flotilla/contract/stacks/entity'
import { makeCredential } from './cloud'
import type { Console } from './console'
import { until } from '../until'

/** The fields that a build with each provider requires, with values that exist there. */
export const stackPlaces: Record<ProviderId, Partial<StackInput['data']>> = {
  aws: { region_id: 'us-east-1', instance_id: 't3.large', source_os_type: 'debian-12' },
  azure: {
    region_id: 'eastus',
    instance_id: 'Standard_D4s_v5',
    resource_group_name: 'images',
    source_os_type: 'ubuntu-22.04',
  },
  gcp: {
    region_id: 'us-west1',
    zone_id: 'us-west1-a',
    instance_id: 'n1-standard-8',
    source_os_type: 'rocky-9',
  },
  oracle: {
    region_id: 'us-phoenix-1',
    zone_id: 'PHX-AD-1',
    instance_id: 'VM.GPU3.1',
    subnet_id: 'ocid1.subnet.oc1.phx.x',
    source_os_type: 'ubuntu-22.04',
  },
  maas: { source_image: 'custom/hpc', source_os_type: 'ubuntu-22.04' },
}

export type StackFiles = Record<string, [name: string, text: string | Uint8Array<ArrayBuffer>][]>

/** The files to upload with a stack. */
export const stackUploads = (files: StackFiles): Sent<typeof api.stacks.create>['beside'] =>
  Object.fromEntries(
    Object.entries(files).map(([field, list]) => [
      field,
      list.map(([name, text]) => ({ name, bytes: typeof text === 'string' ? Buffer.from(text) : text })),
    ]),
  )

/** Creates a stack with its files in a multipart form, as the web app sends it. */
export async function makeStack(
  console: Pick<Console, 'must' | 'admin'>,
  provider: ProviderId,
  { files = {}, data = {}, ...more }: { files?: StackFiles; data?: object; name?: string } = {},
): Promise<Stack> {
  const body = {
    name: `Stack on ${provider}`,
    provider,
    credential_id: await makeCredential(console, provider),
    data: { ...stackPlaces[provider], manager: 'slurm' as const, ...data },
    ...more,
  }
  const input = { body, beside: stackUploads(files) }
  return console.must(api.stacks.create, input, { token: console.admin, admin: true })
}

export const stackOf = async (console: Console, id: string): Promise<Stack> =>
  Stack.parse(await console.must(api.stacks.view, { id }, { token: console.admin }))

const asAdmin = ({ admin }: Console) => ({ token: admin, admin: true })
export const build = (console: Console, id: string) =>
  console.must(api.stacks.build, { body: { id } }, asAdmin(console))
export const finalizeBuild = (console: Console, id: string) =>
  console.must(api.stacks.finalizeBuild, { body: { id } }, asAdmin(console))
export const buildRefused = (console: Console, action: 'build' | 'finalizeBuild', id: string) =>
  console.refused(api.stacks[action], { body: { id } }, asAdmin(console))
export const cancelBuild = (console: Console, id: string) =>
  console.must(api.stacks.cancel, { id }, asAdmin(console))

export const logLinesOf = (console: Console, id: string) =>
  console.must(api.stacks.logs, { id, type: 'build' }, { token: console.admin })
export const logOf = async (console: Console, id: string): Promise<string> =>
  (await logLinesOf(console, id)).map(({ text }) => text).join('\n')

/** Waits for the build to end; the stack must then be in this state. */
export async function untilStackState(console: Console, id: string, state: Stack['state']): Promise<Stack> {
  const stack = await until(async () => {
    const now = await stackOf(console, id)
    return now.state === 'building' ? null : now
  })
  if (stack.state !== state)
    throw new Error(`the stack is ${stack.state}: ${stack.cause}\n${(await logOf(console, id)).slice(-2000)}`)
  return stack
}
