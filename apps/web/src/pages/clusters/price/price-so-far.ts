import type { CloudResource } from '@flotilla/contract/clusters/cloud'

/** What is known of the price per hour of what exists of a partly created cluster; null if nothing is. */
export function priceSoFar(resources: readonly Pick<CloudResource, 'perHour'>[] | undefined): number | null {
  const priced = (resources ?? []).flatMap(({ perHour }) => (perHour === null ? [] : [perHour]))
  return priced.length === 0 ? null : priced.reduce((all, one) => all + one, 0)
}
