// @ts-check
// Checks that files exist that are named by path in a string or text instead of an import, which the compiler cannot
// check.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders whose files refer to others by path: tools, tests and documentation. */
const places = ['bench', 'docs', 'e2e', 'scripts', 'apps/server/test', '.']

/** Paths relative to the repository. Build output is excluded, because it may not exist yet. */
const named =
  /['"`]((?:apps|bench|e2e|packages|scripts)\/(?!\S*\/dist\/)[\w./-]+\.(?:json|md|mjs|tsx?))['"`]/g

/** @param {string} base @param {string} place */
const filesOf = (base, place) =>
  existsSync(join(base, place))
    ? readdirSync(join(base, place), { recursive: place !== '.', encoding: 'utf8' })
        // Tests of the scripts create repositories of their own.
        .filter((name) => /\.(md|mjs|ts)$/.test(name) && !name.endsWith('.test.mjs'))
        .map((name) => (place === '.' ? name : `${place}/${name}`))
    : []

/**
 * @param {string} base the folder of the repository
 * @returns {string[]} one line per reference to a missing file
 */
export const checkPaths = (base) =>
  places
    .flatMap((place) => filesOf(base, place))
    .flatMap((file) =>
      [...readFileSync(join(base, file), 'utf8').matchAll(named)].flatMap(([, path = '']) =>
        existsSync(join(base, path)) ? [] : [`${file} names ${path}, which does not exist`],
      ),
    )
