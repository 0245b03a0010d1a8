import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The output of a real Torque 6.1; README.md describes how it was recorded. */
export const recorded = (name: string) =>
  readFileSync(path.join(import.meta.dirname, 'recordings', name), 'utf8')

/** A recording of another site, where the account has no operator rights. */
export const secondSite = (name: string) => recorded(`second-site/${name}`)
