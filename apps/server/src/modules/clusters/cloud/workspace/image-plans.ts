import { setTimeout as sleep } from 'node:timers/promises'
import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import type {
  Deployment,
  Driver,
  ImagePlan,
  ImageTerms as Found,
  Infrastructure,
} from '../../../../providers/provider'

/** Longer than Azure takes. Without an answer, what plans are usually called is good enough. */
const PATIENCE_MS = 10_000

export type ImagePlans = { plans: Record<string, ImagePlan | null>; terms: ImageTerms[] }
export const NOT_ASKED: ImagePlans = { plans: {}, terms: [] }

/** Asks the cloud for the plans of the marketplace images that machines start from. */
export async function askPlans(
  { marketplaceImages }: Infrastructure,
  deployment: Deployment,
  driver: Driver,
): Promise<ImagePlans> {
  const found = await findTerms(marketplaceImages?.(deployment) ?? [], driver)
  const plans = found.map(([urn, answer]) => [urn, answer?.plan ?? null])
  const terms = found.flatMap(([, answer]) =>
    answer && answer.accepted !== true ? describeTerms(answer) : [],
  )
  return { plans: Object.fromEntries(plans), terms }
}

type Images = ReturnType<NonNullable<Infrastructure['marketplaceImages']>>
/** By `publisher:offer:sku:version`, those that the cloud answered about. */
export async function findTerms(images: Images, { imageTerms }: Driver): Promise<[string, Found | null][]> {
  if (!imageTerms) return []
  const answers = images.map(async (image): Promise<[string, Found | null][]> => {
    const late = new AbortController()
    const answer = await Promise.race([
      imageTerms(image).catch(() => undefined),
      sleep(PATIENCE_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
    ])
    late.abort()
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
