// @ts-check
// Files named by their path in a string or a text instead of an import, which the compiler cannot hold: they have to be there.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where files are named so: what runs beside the product, and what describes it. */
const places = ['bench', 'docs', 'e2e', 'scripts', 'apps/server/test', '.']

/** From the root of the repository; what the build makes is not there before it. */
const named =
  /['"`]((?:apps|bench|e2e|packages|scripts)\/(?!\S*\/dist\/)[\w./-]+\.(?:json|md|mjs|tsx?))['"`]/g

/** @param {string} base @param {string} place */
const filesOf = (base, place) =>
  existsSync(join(base, place))
    ? readdirSync(join(base, place), { recursive: place !== '.', encoding: 'utf8' })
        // Tests of the scripts make repositories of their own.
        .filter((name) => /\.(md|mjs|ts)$/.test(name) && !name.endsWith('.test.mjs'))
        .map((name) => (place === '.' ? name : `${place}/${name}`))
    : []

/**
 * @param {string} base the folder of the repository
 * @returns {string[]} one line per file that is named but not there
 */
export const checkPaths = (base) =>
  places
    .flatMap((place) => filesOf(base, place))
    .flatMap((file) =>
      [...readFileSync(join(base, file), 'utf8').matchAll(named)].flatMap(([, path = '']) =>
        existsSync(join(base, path)) ? [] : [`${file} names ${path}, which does not exist`],
      ),
    )
