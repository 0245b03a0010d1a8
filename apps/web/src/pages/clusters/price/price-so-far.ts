import type { CloudResource } from '@flotilla/contract/clusters/cloud'

/** The hourly price of a partly created cluster's resources, as far as known; null if no price is known. */
export function priceSoFar(resources: readonly Pick<CloudResource, 'perHour'>[] | undefined): number | null {
  const priced = (resources ?? []).flatMap(({ perHour }) => (perHour === null ? [] : [perHour]))
  return priced.length === 0 ? null : priced.reduce((all, one) => all + one, 0)
}
