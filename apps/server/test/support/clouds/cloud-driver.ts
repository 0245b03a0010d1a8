import type { Driver } from '../../../src/providers/provider'

const refuse = () => Promise.reject(new Error('this test asks nothing of the cloud'))

/** A cloud that answers nothing but what a test says. */
export const driverWith = (some: Partial<Driver>): Driver => ({
  whoAmI: refuse,
  stop: refuse,
  start: refuse,
  find: refuse,
  remove: refuse,
  ...some,
})
