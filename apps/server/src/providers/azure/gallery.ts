import * as z from 'zod/mini'
import { choice, forProcessor, readable, type AccountList } from '../account-lists'
import type { Clients } from './clients'

const GALLERIES = '2024-03-03'

const optional = z.optional(z.nullable(z.string()))
const Gallery = z.object({ id: z.string(), name: z.string() })
const Definition = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.object({ osType: optional, architecture: optional, osState: optional }),
})
const Version = z.object({
  id: z.string(),
  name: z.string(),
  properties: z.object({
    publishingProfile: z.object({
      targetRegions: z._default(z.array(z.object({ name: z.string() })), []),
      publishedDate: optional,
    }),
  }),
})

export const isLinux = (osType: string | null | undefined) => osType?.toLowerCase() === 'linux'

/** Galleries use the display names of regions: West Europe. */
const regionId = (name: string) => name.replaceAll(' ', '').toLowerCase()

/** The versions of images in the subscription's galleries that are replicated to a region. */
export const galleryVersions = (arm: Clients['arm'], subscription: string, region: string): AccountList => ({
  right: 'Microsoft.Compute/galleries/images/versions/read',
  async *pages(signal) {
    const all = async function* <Item>(item: z.ZodMiniType<Item>, path: string) {
      for await (const page of arm.pages(path, GALLERIES, { signal })) yield* readable(item, page)
    }
    const galleries = `${subscription}/providers/Microsoft.Compute/galleries`
    for await (const gallery of all(Gallery, galleries)) {
      for await (const image of all(Definition, `${gallery.id}/images`)) {
        if (!isLinux(image.properties.osType)) continue
        const found = []
        for await (const { id, name, properties } of all(Version, `${image.id}/versions`)) {
          const { targetRegions, publishedDate } = properties.publishingProfile
          if (region !== '' && !targetRegions.some((one) => regionId(one.name) === region.toLowerCase()))
            continue
          const day = publishedDate?.slice(0, 'yyyy-mm-dd'.length)
          const { architecture } = image.properties
          found.push({
            ...choice(id, `${image.name} ${name}`, `gallery ${gallery.name}`, architecture, day),
            ...forProcessor(architecture),
          })
        }
        yield found
      }
    }
  },
})
