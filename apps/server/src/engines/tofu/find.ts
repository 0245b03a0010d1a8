import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { EngineError, type EngineProgram } from '../engine'

const run = promisify(execFile)
/** The first version that writes all its events as JSON. */
const oldest = [1, 10]
const Version = z.object({ terraform_version: z.string() })

const advice = [
  'Install OpenTofu 1.10 or newer: https://opentofu.org/docs/intro/install/ has packages for Debian, Ubuntu, RHEL and others.',
  'Or unpack a release archive for this machine and set TOFU_BIN to the tofu program in it.',
  'Then try again. A program on the PATH is found without a restart; TOFU_BIN needs one.',
].join('\n')

const missing = (message: string) => new EngineError('engineMissing', message, { advice })

/** The environment variables that the engine needs for network access; the others are not passed on. */
const passedOn = [
  'PATH',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

export const outsideEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

export interface FindOptions {
  /** The configured path of the program, if any. */
  tofuBin: string | undefined
  env: NodeJS.ProcessEnv
}

export async function findTofu({ tofuBin, env }: FindOptions): Promise<EngineProgram> {
  const environment = outsideEnvironment(env)
  const file = tofuBin ?? (await onPath('tofu', environment.PATH ?? ''))
  if (file === undefined)
    throw missing(
      'Cloud clusters cannot be deployed because OpenTofu is not installed on the console’s machine.',
    )
  const answer = await run(file, ['version', '-json'], { env: environment, timeout: 20_000 }).catch(() => {
    throw missing(`${file} cannot be run. It should be the OpenTofu program.`)
  })
  const version = versionIn(answer.stdout)
  if (version === undefined) throw missing(`${file} does not behave like OpenTofu.`)
  if (!isRecent(version)) throw missing(`OpenTofu ${version} is too old.`)
  return { command: [file], version, simulated: false, environment }
}

function versionIn(text: string): string | undefined {
  try {
    return Version.parse(JSON.parse(text)).terraform_version
  } catch {
    return undefined
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [first = 0, second = 0] = oldest
  return major > first || (major === first && minor >= second)
}

export async function onPath(name: string, folders: string): Promise<string | undefined> {
  for (const folder of folders.split(path.delimiter).filter(Boolean)) {
    const file = path.join(folder, name)
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return file
  }
  return undefined
}

/** The program that replaces OpenTofu and every cloud. */
export function simulatedProgram({
  file,
  dir,
  env,
}: {
  /** dist/cli/simulated-cloud.js */
  file: string
  /** The folder of its clouds. */
  dir: string
  env: NodeJS.ProcessEnv
}): EngineProgram {
  const pace = env.SIMULATED_CLOUD_PACE
  return {
    command: [process.execPath, file],
    version: 'simulated',
    simulated: true,
    query: async (argv, place) => (await import('@flotilla/simulated-cloud/commands')).query(argv, place),
    environment: {
      PATH: env.PATH ?? '',
      SIMULATED_CLOUD_DIR: dir,
      ...(pace !== undefined && { SIMULATED_CLOUD_PACE: pace }),
    },
  }
}
