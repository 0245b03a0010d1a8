import { it } from 'vitest'

/** Whether `npm run soak` is running, which has time for everything: it runs every test file that imports this one. */
export const soaking = process.env.FLOTILLA_SOAK !== undefined

/** A variant of what another test proves as well, or a rare case: it takes its turn in the soak, so that `npm test` stays short. */
export const soakIt: (title: string, body: () => Promise<void> | void) => void = soaking
  ? it
  : () => undefined

/** All in the soak, otherwise the first. */
export const variants = <T>(all: readonly T[]): T[] => (soaking ? [...all] : all.slice(0, 1))

/** All in the soak, otherwise none. */
export const inSoak = <T>(all: readonly T[]): T[] => (soaking ? [...all] : [])
