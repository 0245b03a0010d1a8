import { fail } from '../../fail'

/** Chooses a zone that offers all sizes; `offered` has the zones of each size. */
export function chooseZone(region: string, wanted: string[], offered: Record<string, string[]>): string {
  const all = [...new Set(Object.values(offered).flat())].toSorted()
  const zone = all.find((one) => wanted.every((size) => offered[size]?.includes(one)))
  if (zone !== undefined) return zone
  const where = wanted.map((size) => `${size} in ${offered[size]?.toSorted().join(', ') || 'none'}`)
  const message = `No zone of ${region} offers all sizes: ${where.join('; ')}. Choose other sizes or another region.`
  return fail('cloud_refused', { message, fields: { 'data.network.zone_id': message } })
}
