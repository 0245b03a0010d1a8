import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import { describeTerms, findTerms } from '../../../../providers/image-terms'
import type { Deployment, Driver, ImagePlan, Infrastructure } from '../../../../providers/provider'

export type ImagePlans = { plans: Record<string, ImagePlan | null>; terms: ImageTerms[] }
export const NOT_LOOKED_UP: ImagePlans = { plans: {}, terms: [] }

/** Queries the cloud for the plans of the marketplace images that machines start from. */
export async function fetchImagePlans(
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
