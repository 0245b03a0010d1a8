import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import { within } from '../timing/within'
import type { Driver, ImageTerms as Found, MarketplaceImage } from './provider'

/** Longer than Azure usually takes. Without a reply, the usual names of plans are assumed. */
const TIMEOUT_MS = 10_000

/** The terms that the cloud reported, by `publisher:offer:sku:version`. */
export async function findTerms(
  images: MarketplaceImage[],
  { imageTerms }: Pick<Driver, 'imageTerms'>,
): Promise<[string, Found | null][]> {
  if (!imageTerms) return []
  const answers = images.map(async (image): Promise<[string, Found | null][]> => {
    const answer = await within(
      TIMEOUT_MS,
      imageTerms(image).catch(() => undefined),
    )
    const urn = [image.publisher, image.offer, image.sku, image.version].join(':')
    return answer === undefined ? [] : [[urn, answer]]
  })
  return (await Promise.all(answers)).flat()
}

export const describeTerms = ({ plan, accepted, link }: Found): ImageTerms => ({
  name: [plan.publisher, plan.product, plan.name].join(':'),
  accepted,
  link,
  command: `az vm image terms accept --publisher ${plan.publisher} --offer ${plan.product} --plan ${plan.name}`,
})
