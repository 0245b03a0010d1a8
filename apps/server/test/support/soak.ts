import { it } from 'vitest'

/** Whether `npm run soak` is running, which runs every test file that imports this module. */
export const soaking = process.env.FLOTILLA_SOAK !== undefined

/** A test of a rare case, or of a variant of another test, that runs only in the soak to keep `npm test` short. */
export const soakIt: (title: string, body: () => Promise<void> | void) => void = soaking
  ? it
  : () => undefined

/** All variants in the soak, otherwise the first. */
export const variants = <T>(all: readonly T[]): T[] => (soaking ? [...all] : all.slice(0, 1))

/** All cases in the soak, otherwise none. */
export const inSoak = <T>(all: readonly T[]): T[] => (soaking ? [...all] : [])
