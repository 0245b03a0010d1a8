import * as z from 'zod/mini'
import type { Driver, DriverOptions, ImagePlan, MarketplaceImage } from '../../provider'
import { unlessNotFound } from '../../waiting'
import { isNotFound, type Clients } from '../clients'

const IMAGES = '2024-07-01'
const TERMS = '2021-01-01'

const Versions = z.array(z.object({ name: z.string() }))
const Version = z.object({
  properties: z.object({
    plan: z.optional(z.nullable(z.object({ name: z.string(), product: z.string(), publisher: z.string() }))),
  }),
})
const Agreement = z.looseObject({
  properties: z.looseObject({
    accepted: z.optional(z.boolean()),
    licenseTextLink: z.optional(z.string()),
    marketplaceTermsLink: z.optional(z.string()),
  }),
})

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) === 403

/** Encodes a path segment, and rejects segments of only dots, which would change the path. */
const e = (part: string): string => {
  if (/^\.*$/.test(part)) throw new Error('A marketplace image needs a publisher, an offer and a SKU')
  return encodeURIComponent(part)
}

/** The plan of a marketplace image, as Azure reports it, and the terms that the subscription has to accept once. */
export function makeMarketplace(
  { arm, subscription }: Clients,
  { region }: DriverOptions,
): Required<Pick<Driver, 'imageTerms' | 'acceptTerms'>> {
  const skuAt = ({ publisher, offer, sku }: MarketplaceImage) =>
    `${subscription}/providers/Microsoft.Compute/locations/${e(region)}/publishers/${e(publisher)}/artifacttypes/vmimage/offers/${e(offer)}/skus/${e(sku)}/versions`
  const termsAt = ({ publisher, product, name }: ImagePlan) =>
    `${subscription}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/${e(publisher)}/offers/${e(product)}/plans/${e(name)}/agreements/current`
  const newest = async (at: string, urn: string): Promise<string> => {
    const [first] = Versions.parse(await arm.get(`${at}?$top=1&$orderby=name%20desc`, IMAGES))
    if (!first) throw new Error(`Azure has no version of ${urn} in ${region}`)
    return first.name
  }
  return {
    async imageTerms(image) {
      const at = skuAt(image)
      const urn = [image.publisher, image.offer, image.sku].join(':')
      const version = image.version === 'latest' ? await newest(at, urn) : image.version
      const { plan } = Version.parse(await arm.get(`${at}/${e(version)}`, IMAGES)).properties
      if (!plan) return null
      // A credential that may not read agreements can still deploy, if someone else has accepted the terms.
      const pending = arm.get(termsAt(plan), TERMS)
      const found = await unlessNotFound(pending, (error) => isNotFound(error) || isForbidden(error))
      if (!found) return { plan, accepted: null, link: '' }
      const { accepted = false, licenseTextLink, marketplaceTermsLink } = Agreement.parse(found).properties
      return { plan, accepted, link: licenseTextLink || marketplaceTermsLink || '' }
    },
    async acceptTerms(plan) {
      const { properties, ...rest } = Agreement.parse(await arm.get(termsAt(plan), TERMS))
      await arm.put(termsAt(plan), TERMS, { ...rest, properties: { ...properties, accepted: true } })
    },
  }
}
