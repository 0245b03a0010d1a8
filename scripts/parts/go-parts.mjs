// @ts-check
// Programs that are only available as Go modules: OpenTofu, and the AWS provider reduced to what our module uses
// (compiling all of it takes an hour and 10 GB of memory). This repository does not contain any of their code.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { messageOf, progress, run } from '../running/child.mjs'

export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla')
/** @type {[number, number]} */
const OLDEST_GO = [1, 26]

const tofu = { module: 'github.com/opentofu/opentofu', version: '1.12.6' }
/** OpenTofu's own `replace` directive, which Go ignores in a dependency. */
const hcl = 'github.com/hashicorp/hcl/v2=github.com/opentofu/hcl/v2@v2.20.2-0.20251021132045-587d123c2828'
/** The module proxy has no tags after 1.60, but it has the commits; this one is 6.47.1. */
const aws = {
  module: 'github.com/hashicorp/terraform-provider-aws',
  commit: 'v1.60.1-0.20260602190131-5f2286d6d836',
}
const AWS_PROVIDER_VERSION = '6.47.1'

export const ownTofu = join(cache, `go/tofu-${tofu.version}`)
/** Named as the engine requires in a provider folder. */
export const ownAwsProvider = join(cache, `go/terraform-provider-aws_v${AWS_PROVIDER_VERSION}`)

/** The services that the module uses, and the clients that the provider itself uses to log in. */
const SERVICES = ['ec2', 'iam', 'sts']
const CLIENTS = ['Account', 'EC2', 'IAM', 'Organizations', 'S3', 'STS']

/** @returns {string | undefined} */
function findGo() {
  return ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go'].find((go) => {
    const { stdout } = spawnSync(go, ['version'], { encoding: 'utf8' })
    const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(stdout ?? '') ?? []).slice(1).map(Number)
    return major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1])
  })
}

/**
 * @param {string} program the path of the built program
 * @param {string} name
 * @param {(go: (...args: string[]) => Promise<string>, folder: string) => Promise<string[]>} prepare
 *   fills the folder and returns the packages to build there
 * @returns {Promise<string>} why it could not be built, or an empty string
 */
async function build(program, name, prepare) {
  const go = findGo()
  if (!go) return `it is built with Go ${OLDEST_GO.join('.')}, which is not installed`
  mkdirSync(join(cache, 'go'), { recursive: true })
  const folder = mkdtempSync(join(cache, 'go/build-'))
  /** @param {string[]} args */
  const withGo = async (...args) => {
    const { code, output } = await run('nice', ['-n', '19', go, ...args], {
      cwd: folder,
      env: { ...process.env, GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' },
    })
    if (code !== 0) throw new Error(output.trim().split('\n').slice(-3).join(' '))
    return output
  }
  try {
    await progress(`Building ${name} with Go, which takes about ten minutes the first time`, async () => {
      const what = await prepare(withGo, folder)
      await withGo('build', '-ldflags=-s -w', '-o', 'built', ...what)
    })
    renameSync(join(folder, 'built'), program)
    return ''
  } catch (error) {
    return `go: ${messageOf(error)}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const buildTofu = () =>
  build(ownTofu, 'OpenTofu', async (go) => {
    await go('mod', 'init', 'flotilla/tofu')
    await go('mod', 'edit', `-require=${tofu.module}@v${tofu.version}`, `-replace=${hcl}`)
    return [`${tofu.module}/cmd/tofu`]
  })

export const buildAwsProvider = () =>
  build(ownAwsProvider, 'the AWS provider', async (go, folder) => {
    // Verified against Go's checksum database.
    const { Dir } = JSON.parse(await go('mod', 'download', '-json', `${aws.module}@${aws.commit}`))
    for (const part of ['go.mod', 'go.sum', 'main.go', 'internal', 'names', 'version'])
      cpSync(join(Dir, part), join(folder, part), { recursive: true })
    await run('chmod', ['-R', 'u+w', folder])
    edit(join(folder, 'internal/provider/sdkv2/service_packages_gen.go'), (text) =>
      text
        .replace(/\t".*\/internal\/service\/(\w+)"\n/g, keeping(SERVICES))
        .replace(/\t\t(\w+)\.ServicePackage\(ctx\),\n/g, keeping(SERVICES)),
    )
    edit(join(folder, 'internal/conns/awsclient_gen.go'), (text) => {
      const methods = text.replace(/\nfunc \(c \*AWSClient\) (\w+)Client\(ctx[^]*?\n}\n/g, keeping(CLIENTS))
      return methods.replace(/\t(?:\w+ )?".*\/service\/(\w+)"\n/g, (line, name) =>
        methods.includes(`*${name}.Client`) ? line : '',
      )
    })
    return ['.']
  })

/** @param {string[]} names */
const keeping = (names) => (/** @type {string} */ found, /** @type {string} */ name) =>
  names.includes(name) ? found : ''

/** @param {string} file @param {(text: string) => string} change */
function edit(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
