import { imageRoles, type ImageRole } from '@flotilla/contract/stacks/entity'
import { imageScripts } from '../../cloud-init/image'
import { user, type ImageBuild, type ImageBuilder } from './image'

const FOLDER = '/tmp/flotilla-build'
/** The path within the build's folder. */
export const SSH_KEY = 'ssh-key'
/** The folder of a role's files within the build's folder: its script and data. */
export const ownFolder = (role: ImageRole) => `own-${role}`

/** The variables come from a file rather than the command line, which everyone on the machine can read. */
const asRoot = `if [ "$(id -u)" = 0 ]; then sh -c '. {{.EnvVarFile}} && exec sh {{.Path}}'; else sudo -n sh -c '. {{.EnvVarFile}} && exec sh {{.Path}}'; fi`

interface Parts {
  builder: ImageBuilder
  /** One per image. */
  builds: ImageBuild[]
  /** The roles with a script of their own. */
  provisioned: ImageRole[]
  /** The provisioner that keeps the build open for manual changes, or null. */
  pauseForManualChanges: object | null
  username: string
}

/** Secrets that are passed in the environment, in addition to the cloud's own. */
export const machineSecrets = {
  rhel_key: 'FLOTILLA_RHEL_KEY',
  rhel_organization: 'FLOTILLA_RHEL_ORG',
  proxy: 'FLOTILLA_PROXY',
} as const

/** A template in Packer's JSON syntax, which old and new versions can read, and the values of its variables. */
export function imageTemplate({ builder, builds, provisioned, pauseForManualChanges, username }: Parts) {
  const variables: Record<string, string> = { ssh_username: username }
  const variable = (role: ImageRole) => (name: string, value: string | number | boolean) => {
    variables[`${role}_${name}`] = String(value)
    return user(`${role}_${name}`)
  }
  const secrets = { ...builder.secrets, ...machineSecrets }
  const shell = (script: string, more: object = {}) => ({
    type: 'shell',
    script,
    execute_command: asRoot,
    use_env_var_file: true,
    environment_vars: [
      `FL_RHEL_KEY=${user('rhel_key')}`,
      `FL_RHEL_ORG=${user('rhel_organization')}`,
      `FL_PROXY=${user('proxy')}`,
    ],
    ...more,
  })
  const roles = imageRoles.filter((role) => builds.some((build) => build.role === role))
  const template = {
    variables: {
      ...Object.fromEntries(Object.entries(secrets).map(([name, env]) => [name, `{{env \`${env}\`}}`])),
      // Empty here: the values are in a file.
      ssh_username: '',
    } as Record<string, string>,
    'sensitive-variables': Object.keys(secrets),
    builders: builds.map((build) => ({
      name: build.role,
      ...builder.builder(build, variable(build.role)),
      communicator: 'ssh',
      ssh_username: user('ssh_username'),
      ssh_private_key_file: SSH_KEY,
      // SCP, the older method, needs software that current systems do not include.
      ssh_file_transfer_method: 'sftp',
      ssh_timeout: '15m',
    })),
    provisioners: [
      { type: 'shell', inline: ['umask 077', `mkdir -p ${FOLDER}/common ${FOLDER}/own/data`] },
      { type: 'file', source: 'common/', destination: `${FOLDER}/common` },
      ...roles.map((role) => ({
        type: 'file',
        source: `${ownFolder(role)}/`,
        destination: `${FOLDER}/own`,
        only: [role],
      })),
      shell(imageScripts.install),
      ...roles
        .filter((role) => provisioned.includes(role))
        .map((role) => ({ ...withRole(shell(imageScripts.provision), role), only: [role] })),
      ...(pauseForManualChanges ? [{ type: 'shell', script: imageScripts.open }, pauseForManualChanges] : []),
      shell(imageScripts.finish),
    ],
  }
  for (const name of Object.keys(variables)) template.variables[name] = ''
  return { template, variables }
}

const withRole = <Shell extends { environment_vars: string[] }>(shell: Shell, role: ImageRole): Shell => ({
  ...shell,
  environment_vars: [...shell.environment_vars, `FL_IMAGE_ROLE=${role}`],
})
