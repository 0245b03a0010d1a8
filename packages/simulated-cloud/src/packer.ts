import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { clouds, type CloudName } from './clouds/registry'
import { strikes, type FaultName } from './world/faults'
import { LABEL } from './emit'
import { openWorld, PUBLIC, type World, type WorldItem } from './world/world'

/** The parts of our templates that are validated. */
const Template = z.object({
  builders: z.array(z.looseObject({ name: z.string(), type: z.string() })),
  provisioners: z.array(
    z.looseObject({
      type: z.string(),
      only: z.optional(z.array(z.string())),
      script: z.optional(z.string()),
      source: z.optional(z.string()),
      inline: z.optional(z.array(z.string())),
    }),
  ),
})
type Builder = z.infer<typeof Template>['builders'][number]
type Provisioner = z.infer<typeof Template>['provisioners'][number]
const Variables = z.record(z.string(), z.string())

interface Kind {
  cloud: Exclude<CloudName, 'builtin' | 'maas'>
  machine: string
  image: string
  machineId(token: string): string
  /** The real builder's description of the artifact, and the id in it. */
  made(token: string, of: { name: string; region: string; group: string }): { id: string; artifact: string }
}
const kinds: Record<string, Kind> = {
  'amazon-ebs': {
    cloud: 'aws',
    machine: 'aws_instance',
    image: 'aws_ami',
    machineId: (token) => `i-0${token.slice(0, 16)}`,
    made: (token, { region }) => ({
      id: `ami-0${token.slice(0, 16)}`,
      artifact: `${region}:ami-0${token.slice(0, 16)}`,
    }),
  },
  'azure-arm': {
    cloud: 'azure',
    machine: 'azurerm_linux_virtual_machine',
    image: 'azurerm_image',
    machineId: (token) =>
      `/subscriptions/simulated/resourceGroups/pkr-${token.slice(0, 8)}/providers/Microsoft.Compute/virtualMachines/pkr`,
    made: (_token, { name, group }) => {
      const id = `/subscriptions/simulated/resourceGroups/${group}/providers/Microsoft.Compute/images/${name}`
      return { id, artifact: id }
    },
  },
  googlecompute: {
    cloud: 'gcp',
    machine: 'google_compute_instance',
    image: 'google_compute_image',
    machineId: (token) => `packer-${token.slice(0, 16)}`,
    made: (_token, { name }) => ({ id: name, artifact: name }),
  },
  'oracle-oci': {
    cloud: 'oracle',
    machine: 'oci_core_instance',
    image: 'oci_core_image',
    machineId: (token) => `ocid1.instance.oc1.simulated.${token}`,
    made: (token) => {
      const id = `ocid1.image.oc1.simulated.${token}`
      return { id, artifact: id }
    },
  },
}

export interface PackerContext {
  folder: string
  env: NodeJS.ProcessEnv
  print(line: string): void
  /** Aborted when the build is asked to stop. */
  stop: AbortSignal
}

const escaped = (text: string) =>
  text
    .replaceAll('\r', String.raw`\r`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll(',', '%!(PACKER_COMMA)')
const seconds = () => Math.floor(Date.now() / 1000)

class Failed extends Error {}

/** `packer build`: everything that it creates is in the simulated cloud, and everything that it prints is labeled. */
export async function buildSimulated(argv: string[], place: PackerContext): Promise<number> {
  const ui = (kind: 'say' | 'message' | 'error', text: string) =>
    place.print(`${seconds()},,ui,${kind},${escaped(text)}`)
  const [template, variables] = await readInput(argv, place.folder)
  const builds = template.builders.map((builder) => oneImage({ builder, template, variables, place, ui }))
  const endings = await Promise.allSettled(builds)
  if (place.stop.aborted) {
    ui('say', `${LABEL} Cleanly cancelled builds after being interrupted.`)
    return 1
  }
  const failed = endings.filter((ending) => ending.status === 'rejected')
  for (const { reason } of failed) if (!(reason instanceof Failed)) throw reason
  for (const [index, ending] of endings.entries()) {
    const name = template.builders[index]?.name ?? ''
    if (ending.status === 'rejected') {
      place.print(`${seconds()},${name},error,${escaped(`${LABEL} ${String(ending.reason.message)}`)}`)
      continue
    }
    place.print(`${seconds()},${name},artifact-count,1`)
    place.print(`${seconds()},${name},artifact,0,id,${escaped(ending.value)}`)
    place.print(`${seconds()},${name},artifact,0,end`)
  }
  return failed.length > 0 ? 1 : 0
}

async function readInput(argv: string[], folder: string) {
  const file = (name: string) => readFile(path.join(folder, name), 'utf8')
  const valuesFile = argv.find((word) => word.startsWith('-var-file='))?.slice('-var-file='.length)
  const template = Template.parse(JSON.parse(await file(argv.at(-1) ?? '')))
  return [template, valuesFile ? Variables.parse(JSON.parse(await file(valuesFile))) : {}] as const
}

interface Work {
  builder: Builder
  template: z.infer<typeof Template>
  variables: Record<string, string>
  place: PackerContext
  ui: (kind: 'say' | 'message' | 'error', text: string) => void
}

/** Builds one image and returns the real builder's description of the artifact. */
async function oneImage({ builder, template, variables, place, ui }: Work): Promise<string> {
  const kind = kinds[builder.type] ?? fail(`unknown builder ${builder.type}`)
  const begun = Date.now()
  const value = (argument: unknown) =>
    (typeof argument === 'string' ? argument : '').replace(
      /\{\{user `(\w+)`\}\}/g,
      (_, name: string) => variables[name] ?? '',
    )
  const tag = (name: string) => variables[`${builder.name}_build_${name}`] ?? ''
  const stackId = tag('flotilla_cluster')
  const dir = place.env.SIMULATED_CLOUD_DIR ?? path.join(place.folder, 'simulated-cloud')
  const world = openWorld(path.join(dir, kind.cloud))
  const strike = (fault: FaultName) => strikes(dir, stackId, fault)
  const slow = (await strike('slow')) ? 20 : 1
  const pace = Number(place.env.SIMULATED_CLOUD_PACE ?? 1) * slow
  const pause = (ms: number) => sleep(ms * pace, undefined, { signal: place.stop })
  const say = (text: string) => ui('say', `==> ${builder.name}: ${LABEL} ${text}`)
  const { failures } = clouds[kind.cloud]
  const region = value(builder.region ?? builder.location)
  const token = randomBytes(16).toString('hex')
  let machine: WorldItem | undefined
  try {
    say('Checking the credential and the source image...')
    await pause(300)
    if (await strike('badCredential')) fail(failures.badCredential)
    // Oracle Cloud identifies availability domains by names that include a prefix of the tenancy.
    if (builder.availability_domain !== undefined && !value(builder.availability_domain).includes(':'))
      fail(
        'Error launching instance: 404-NotAuthorizedOrNotFound, Authorization failed or requested resource not found.',
      )
    say(
      `Launching a machine of size ${value(builder.instance_type ?? builder.vm_size ?? builder.machine_type ?? builder.shape)} in ${region}...`,
    )
    await pause(400)
    for (const fault of ['quota', 'capacity'] as const) if (await strike(fault)) fail(failures[fault])
    machine = await addItem(world, {
      type: kind.machine,
      id: kind.machineId(token),
      name: 'packer',
      kind: 'machine',
      clusterId: stackId,
      region,
      tag,
    })
    if (await strike('crash')) process.kill(process.pid, 'SIGKILL')
    say('Waiting for SSH to become available...')
    await pause(600)
    if (await strike('bootTimeout')) fail('Timeout waiting for SSH.')
    say(`Connected to SSH! ${machine.seed.publicIp}`)
    for (const provisioner of template.provisioners)
      if (!provisioner.only || provisioner.only.includes(builder.name))
        await provision(provisioner, { builder, machine, value, say, pause, place, ui })
    say('Stopping the machine...')
    await pause(300)
    const name = value(builder.ami_name ?? builder.managed_image_name ?? builder.image_name)
    say(`Creating the image ${name}...`)
    await pause(500)
    const made = kind.made(token, { name, region, group: value(builder.managed_image_resource_group_name) })
    await addItem(world, { type: kind.image, id: made.id, name, kind: 'image', clusterId: null, region, tag })
    ui('say', `Build '${builder.name}' finished after ${Math.round((Date.now() - begun) / 1000)} seconds.`)
    return made.artifact
  } catch (error) {
    if (!place.stop.aborted && error instanceof Failed)
      ui(
        'error',
        `Build '${builder.name}' errored after ${Math.round((Date.now() - begun) / 1000)} seconds: ${LABEL} ${error.message}`,
      )
    throw error
  } finally {
    if (machine) {
      say('Removing the machine...')
      await world.remove(machine)
    }
  }
}

const fail = (message: string): never => {
  throw new Failed(message)
}

interface Provisioning {
  builder: Builder
  machine: WorldItem
  value: (argument: unknown) => string
  say: (text: string) => void
  pause: (ms: number) => Promise<unknown>
  place: PackerContext
  ui: Work['ui']
}

/** There is no machine to run provisioners on, but local ones do run on the console's machine. */
async function provision(one: Provisioner, around: Provisioning): Promise<void> {
  const { builder, machine, value, say, pause, place, ui } = around
  if (one.type !== 'shell-local') {
    const what = one.type === 'file' ? `Uploading ${one.source}` : `Running ${one.script ?? 'commands'}`
    say(`${what} (nothing is run in the simulated cloud)`)
    await pause(150)
    return
  }
  const text = (one.inline ?? [])
    .map((line) => value(line.replaceAll('{{build `Host`}}', machine.seed.publicIp)))
    .join('\n')
  const child = spawn('sh', ['-e', '-c', text], {
    cwd: place.folder,
    env: place.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: place.stop,
  })
  child.stdout.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n').filter(Boolean))
      ui('message', `    ${builder.name}: ${line}`)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) fail(`Script exited with non-zero exit status: ${code}`)
}

interface NewItem {
  type: string
  id: string
  name: string
  kind: 'machine' | 'image'
  clusterId: string | null
  region: string
  tag: (name: string) => string
}

async function addItem(world: World, { tag, ...item }: NewItem): Promise<WorldItem> {
  const publicIp = item.kind === 'machine' ? await world.allocate('public', PUBLIC) : ''
  const made: WorldItem = {
    ...item,
    part: false,
    sizeGb: null,
    power: item.kind === 'machine' ? 'running' : null,
    attributes: { tags: { flotilla_stack: tag('flotilla_stack'), flotilla_name: tag('flotilla_name') } },
    seed: { id: item.id, privateIp: '', publicIp, token: '' },
    createdAt: Date.now(),
  }
  await world.add(made)
  return made
}
