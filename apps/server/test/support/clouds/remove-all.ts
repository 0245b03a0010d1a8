import type { Driver, FoundResource } from '../../../src/providers/provider'

const order: FoundResource['kind'][] = ['machine', 'address', 'volume', 'image', 'other', 'network']

/** Removes everything as force destroy does: resources that are still in use are retried in the next round. */
export async function removeAllFound(driver: Driver, cluster: string): Promise<void> {
  for (let before = Infinity; ;) {
    const found = await driver.find(cluster)
    if (found.length === 0) return
    const failures: Error[] = []
    for (const one of found.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)))
      await driver
        .remove(one, AbortSignal.timeout(30_000))
        .catch((error: Error) => failures.push(new Error(`${one.type} ${one.id}: ${error.message}`)))
    if (failures.length >= before) throw new AggregateError(failures, failures.map(String).join('\n'))
    before = failures.length
  }
}
