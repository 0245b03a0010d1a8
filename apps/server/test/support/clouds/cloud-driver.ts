import type { Driver } from '../../../src/providers/provider'

const refuse = () => Promise.reject(new Error('the test does not define this method of the driver'))

/** A driver with only the methods that a test defines; every other one rejects. */
export const driverWith = (some: Partial<Driver>): Driver => ({
  whoAmI: refuse,
  stop: refuse,
  start: refuse,
  find: refuse,
  remove: refuse,
  ...some,
})
