import { execFile } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { isAtLeast } from '../versions'
import { EngineError, type EngineProgram } from '../engine'
import { onPath, outsideEnvironment } from '../tofu/find'

const run = promisify(execFile)

const advice = [
  'Install Packer 1.6 or newer: `apt-get install packer` on Debian, or https://developer.hashicorp.com/packer/install for others.',
  'Packer 1.10 and newer include no cloud plugins: run `packer plugins install github.com/hashicorp/amazon` (likewise azure, googlecompute and oracle) once as the account that the console runs as.',
  'Or set PACKER_BIN to the program `packer`.',
  'Then try again. A program on the PATH is found without a restart; PACKER_BIN needs one.',
].join('\n')

const missing = (message: string) => new EngineError('engineMissing', message, { advice })

export interface FindPackerOptions {
  /** The configured path of the program, if any. */
  packerBin: string | undefined
  env: NodeJS.ProcessEnv
}

export async function findPacker({ packerBin, env }: FindPackerOptions): Promise<EngineProgram> {
  const environment = {
    ...outsideEnvironment(env),
    // Each build has its own home, but the plugins are in the account's home.
    PACKER_PLUGIN_PATH:
      env.PACKER_PLUGIN_PATH ?? path.join(env.HOME ?? os.homedir(), '.config/packer/plugins'),
  }
  const file = packerBin ?? (await onPath('packer', env.PATH ?? ''))
  if (file === undefined)
    throw missing('Images cannot be built because Packer is not installed on the console’s machine.')
  // On some systems, /usr/sbin/packer is another program, which waits for a password.
  const answer = await run(file, ['-machine-readable', 'version'], {
    env: { ...environment, CHECKPOINT_DISABLE: '1' },
    timeout: 20_000,
  }).catch(() => {
    throw missing(`${file} cannot be run. It should be the Packer program.`)
  })
  const version = /^\d*,,version,(\d+\.\d+\.\d+)/m.exec(answer.stdout)?.[1]
  if (version === undefined) throw missing(`${file} does not behave like Packer.`)
  if (!isAtLeast(version, 1, 6)) throw missing(`Packer ${version} is too old.`)
  return { command: [file], version, simulated: false, environment }
}
