import { imageRoles, type ImageRole } from '@flotilla/contract/stacks/entity'
import { imageScripts } from '../../cloud-init/image'
import { user, type ImageBuild, type ImageBuilder } from './image'

const FOLDER = '/tmp/flotilla-build'
/** In the folder of the build. */
export const SSH_KEY = 'ssh-key'
/** Where the files of a role are in the folder of the build: its script, and beside it the data. */
export const ownFolder = (role: ImageRole) => `own-${role}`

/** With the variables from a file and not on a command line, which everyone on the machine can read. */
const asRoot = `if [ "$(id -u)" = 0 ]; then sh -c '. {{.EnvVarFile}} && exec sh {{.Path}}'; else sudo -n sh -c '. {{.EnvVarFile}} && exec sh {{.Path}}'; fi`

interface Parts {
  builder: ImageBuilder
  /** One for each image. */
  builds: ImageBuild[]
  /** The roles that have a script of their own. */
  provisioned: ImageRole[]
  /** What keeps the build open for manual changes; null does not. */
  pauseForManualChanges: object | null
  username: string
}

/** What goes in by the environment beside the cloud's own secrets. */
export const machineSecrets = {
  rhel_key: 'FLOTILLA_RHEL_KEY',
  rhel_organization: 'FLOTILLA_RHEL_ORG',
  proxy: 'FLOTILLA_PROXY',
} as const

/** A template in Packer's JSON, which old and new versions read, and the values of its variables. */
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
      // Left empty here: the values come with a file.
      ssh_username: '',
    } as Record<string, string>,
    'sensitive-variables': Object.keys(secrets),
    builders: builds.map((build) => ({
      name: build.role,
      ...builder.builder(build, variable(build.role)),
      communicator: 'ssh',
      ssh_username: user('ssh_username'),
      ssh_private_key_file: SSH_KEY,
      // Systems of today come without what the older way needs.
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
