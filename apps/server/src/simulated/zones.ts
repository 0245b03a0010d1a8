import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { chooseZone } from '../providers/aws/choose-zone'
import { cloudProviders } from '../providers/registry'

/** The sizes that each zone lacks. */
const Missing = z.record(z.string(), z.array(z.string()))

/** Chooses a zone as the AWS driver does: zones have all sizes except those in `zones.json`. */
export const makeZoneFor = (dir: string, region: string) => async (sizes: string[]) => {
  const text = await readFile(path.join(dir, 'zones.json'), 'utf8').catch(() => '{}')
  const missing = Missing.parse(JSON.parse(text))
  const regions = (await cloudProviders.aws.catalog())?.regions ?? []
  const zones = regions.find(({ region_id }) => region_id === region)?.zones ?? []
  const wanted = [...new Set(sizes)]
  const offered = wanted.map((size) => [
    size,
    zones.map(({ zone_id }) => zone_id).filter((zone) => !missing[zone]?.includes(size)),
  ])
  return zones.length === 0 ? '' : chooseZone(region, wanted, Object.fromEntries(offered))
}
