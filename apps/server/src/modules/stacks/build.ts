import path from 'node:path'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { ImageRole, StackData } from '@flotilla/contract/stacks/entity'
import { imageFiles } from '../../cloud-init/image'
import type { TorqueSource } from '../../cloud-init/input'
import { pauseForManualChanges, type Packer, type PackerBuild } from '../../engines/packer/packer'
import type { ImageBuild, ImageBuilder } from '../../providers/image/image'
import { imageTemplate, machineSecrets, ownFolder, SSH_KEY } from '../../providers/image/image-template'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { ImagePlan } from '../../providers/provider'
import { makeSshKey } from '../../ssh-key'
import type { FoundStack } from './store'

/** Everything that the images of a stack are built from. */
export type BuildParts = {
  stack: Pick<FoundStack, 'id' | 'name' | 'description' | 'data' | 'files'>
  builder: ImageBuilder
  credential: CredentialData
  files: { field: string; name: string; bytes: Uint8Array }[]
  rhel: { activationKey: string; organization: string }
  torqueSource: TorqueSource | null
  /** The purchase plan of the source image in the cloud's marketplace; undefined if the cloud did not report one. */
  plan?: ImagePlan | null
  /** The public keys of the users who may change the machine manually. */
  peopleKeys: string[]
}

const scriptOf: Record<ImageRole, string> = { node: 'nodeProvisioner', server: 'serverProvisioner' }
const dataFilesOf: Record<ImageRole, string> = { node: 'dataFiles', server: 'dataFilesB' }

/**
 * Head nodes get an image of their own only if files make it differ, because each image costs a machine and its time.
 */
const rolesOf = (files: { field: string }[]): ImageRole[] =>
  files.some(({ field }) => field === scriptOf.server || field === dataFilesOf.server)
    ? ['node', 'server']
    : ['node']

const usernameOf = (builder: Pick<ImageBuilder, 'username'>, data: StackData): string =>
  data.ssh_username || builder.username(data.source_os_type)

/** Text that every cloud accepts as part of a name. */
const slug = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 20)
    .replace(/-+$/, '')

const imageName = (data: StackData, name: string, role: ImageRole, runId: string) =>
  [data.prefix, slug(name), role === 'server' ? role : '', runId.slice(0, 8).toLowerCase()]
    .filter(Boolean)
    .join('-')

/** Tags allow fewer characters than names, and nothing in them may look like a template. */
const asTag = (text: string) => text.replace(/[^\p{L}\p{N} ._-]/gu, ' ')
/** Packer evaluates two opening braces anywhere in the template, but a description is plain text. */
const asText = (text: string) => text.replaceAll('{{', '{ {').replace(/\s+/g, ' ').slice(0, 250)

function imageBuild(parts: BuildParts, role: ImageRole, runId: string, sshPublicKey: string): ImageBuild {
  const { stack } = parts
  const { data } = stack
  const named = { flotilla_stack: stack.id, flotilla_name: asTag(stack.name) }
  return {
    role,
    name: imageName(data, stack.name, role, runId),
    description: asText(stack.description || stack.name),
    data,
    // The tag of clusters lets searches for leftovers find the machine of a failed build.
    buildTags: { ...named, flotilla_cluster: stack.id },
    imageTags: named,
    sshPublicKey,
    ...(parts.plan !== undefined && { plan: parts.plan }),
  }
}

/** The template, variables and files of a build. */
export function buildFiles(parts: BuildParts, runId: string) {
  const { builder, files, torqueSource, peopleKeys } = parts
  const { data } = parts.stack
  const key = makeSshKey('flotilla-build')
  const roles = rolesOf(files)
  const own = (role: ImageRole) => [
    { path: `${ownFolder(role)}/data/.keep`, data: '' },
    ...files.flatMap(({ field, name, bytes }) =>
      field === scriptOf[role]
        ? [{ path: `${ownFolder(role)}/provision`, data: bytes }]
        : field === dataFilesOf[role]
          ? [{ path: `${ownFolder(role)}/data/${name}`, data: bytes }]
          : [],
    ),
  ]
  return {
    ...imageTemplate({
      builder,
      builds: roles.map((role) => imageBuild(parts, role, runId, key.publicKey)),
      provisioned: roles.filter((role) => files.some(({ field }) => field === scriptOf[role])),
      pauseForManualChanges: data.customize_image ? pauseForManualChanges : null,
      username: usernameOf(builder, data),
    }),
    files: [
      { path: SSH_KEY, data: key.privateKey },
      ...(builder.files?.(parts.credential) ?? []),
      ...imageFiles({
        manager: data.manager,
        minimal: data.minimal,
        gpuSoftware: data.image_gpu_software,
        vnc: data.has_vnc,
        torqueSource,
        peopleKeys,
      }),
      ...roles.flatMap(own),
    ],
  }
}

/** The secrets and settings that only the engine's process receives. */
export const buildEnvironment = ({
  builder,
  credential,
  stack,
  rhel,
}: BuildParts): Record<string, string> => ({
  ...builder.environment(credential),
  [machineSecrets.rhel_key]: rhel.activationKey,
  [machineSecrets.rhel_organization]: rhel.organization,
  [machineSecrets.proxy]: stack.data.proxy,
})

export const buildFolder = (dataDir: string, stackId: string, runId: string) =>
  path.join(dataDir, 'stacks', stackId, runId)

type OpenBuild = {
  packer: Packer
  dataDir: string
  provider: ProviderId
  passwords: string[]
  /** The cloud's own name for a zone. */
  zoneName(zone: string): Promise<string>
}

/** Opens the engine in the folder of a build. Writes the files it needs unless the build has started already. */
export async function openBuild(
  { packer, dataDir, passwords, zoneName }: OpenBuild,
  parts: BuildParts,
  runId: string,
): Promise<PackerBuild> {
  const build = packer.build({
    folder: buildFolder(path.resolve(dataDir), parts.stack.id, runId),
    environment: buildEnvironment(parts),
    secrets: passwords.filter((one) => one !== ''),
  })
  if (await build.inProgress()) return build
  const { data } = parts.stack
  const zone_id = data.zone_id && (await zoneName(data.zone_id))
  await build.write(buildFiles({ ...parts, stack: { ...parts.stack, data: { ...data, zone_id } } }, runId))
  return build
}
