// @ts-check
// Builds code-server from npm without GitHub, which its own installation needs: native modules are compiled here, and
// Debian's ripgrep serves as its file search.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, progress, run } from '../running/child.mjs'
import { onPath } from './install.mjs'

/** The last release for Node 20; later ones need Node 22. */
const VERSION = '4.100.3'
/** A folder from which jobs of other accounts can run it. */
const folder = '/opt/flotilla/code-server'
export const ownCodeServer = join(folder, 'bin/code-server')

const modules = join(folder, 'node_modules')
const editor = join(modules, 'code-server/lib/vscode')

/** @returns {Promise<string>} why it could not be built, or an empty string */
export async function buildCodeServer() {
  try {
    await progress('Building code-server, which takes a few minutes the first time', build)
    return ''
  } catch (error) {
    // An incomplete installation would count as installed the next time.
    rmSync(folder, { recursive: true, force: true })
    return messageOf(error)
  }
}

async function build() {
  const ripgrep = onPath('rg')
  if (!ripgrep) throw new Error('ripgrep, which code-server searches with, is not installed')
  mkdirSync(folder, { recursive: true })
  const npm = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
    must('npm', [...args, '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], cwd)
  await npm(folder, 'install', '--prefix', folder, `code-server@${VERSION}`)
  await npm(editor, 'install')
  await npm(join(editor, 'extensions'), 'install')
  for (const name of ['node-pty', '@vscode/spdlog', 'native-watchdog'])
    await compile(join(editor, 'node_modules', name))
  const place = './lib/binding/napi-v3'
  await compile(join(modules, 'argon2'), [
    '-Dmodule_name=argon2',
    `-Dmodule_path=${place}`,
    `-Dmodule=${place}/argon2.node`,
    '-Dnapi_build_version=3',
  ])
  const searching = join(editor, 'node_modules/@vscode/ripgrep/bin')
  mkdirSync(searching, { recursive: true })
  cpSync(ripgrep, join(searching, 'rg'))
  // Last, so that an incomplete build is never found.
  mkdirSync(dirname(ownCodeServer))
  symlinkSync('../node_modules/code-server/out/node/entry.js', ownCodeServer)
}

/** @param {string} module @param {string[]} definitions */
async function compile(module, definitions = []) {
  const prefix = dirname(dirname(process.execPath))
  // Use the headers that came with Node, if any, instead of downloading them.
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? [`--nodedir=${prefix}`] : []
  const gyp = join(prefix, 'lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js')
  await must(process.execPath, [gyp, 'rebuild', ...headers, '--', ...definitions], module)
}

/** @param {string} command @param {string[]} args @param {string} cwd */
async function must(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd })
  if (code !== 0) throw new Error(output.trim().split('\n').slice(-3).join(' '))
}
