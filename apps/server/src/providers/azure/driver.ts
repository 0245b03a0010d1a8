import type { Driver, DriverOptions } from '../provider'

export function driver(_options: DriverOptions): Driver {
  throw new Error('This part of the provider is not there yet')
}
