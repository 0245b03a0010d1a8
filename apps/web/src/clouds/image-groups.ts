import type { AcmImage } from '@flotilla/contract/clouds/acm'
import type { Reply } from '@flotilla/contract/endpoint'
import type { stacks } from '@flotilla/contract/stacks/stacks'
import type { Option } from '../forms/fields'

export type ImagesInfo = Reply<typeof stacks.imagesInfo>
export interface ImageGroup {
  label: string
  options: readonly Option[]
}

const roles = { node: 'nodes', server: 'head nodes' } as const

/** Images that stacks have built, as far as they are where they are to be used; one without a region is everywhere. */
export function groupOfStacks({ stacks: built }: Pick<ImagesInfo, 'stacks'>, region: string): ImageGroup {
  const isHere = (of: string) => of === '' || region === '' || of === region
  return {
    label: 'Stack images',
    options: built.flatMap(({ name, images }) =>
      images
        .filter((image) => isHere(image.region))
        .map(({ id, role }) => ({
          value: id,
          label: `${name}${images.length > 1 ? ` for ${roles[role]}` : ''}: ${id}`,
        })),
    ),
  }
}

/** An image that a MAAS has for several kinds of processors is one choice. */
export function groupOfAcm(images: readonly AcmImage[]): ImageGroup {
  const kinds = new Map<string, AcmImage[]>()
  for (const image of images) kinds.set(image.id, [...(kinds.get(image.id) ?? []), image])
  return {
    label: 'MAAS images',
    options: [...kinds].map(([id, same]) => {
      const [{ name } = { name: id }] = same
      const processors = same.map(({ architecture }) => architecture).join(', ')
      return { value: id, label: `${name === id ? id : `${id}, ${name}`} (${processors})` }
    }),
  }
}

/** What a build starts from when no other image is named, for the field of the operating system. */
export function publicImageText(info: ImagesInfo | undefined, osType: string): string | undefined {
  const found = info?.publicImages.find((one) => one.osType === osType)
  if (!found || found.image === '') return undefined
  const { image, username } = found
  // AWS knows makers of images by their account only.
  const publisher = /^\d+$/.test(found.publisher) ? `account ${found.publisher}` : found.publisher
  const login = username === '' ? '' : `; its login user is ${username}`
  return `Uses the public image ${image}${publisher === '' ? '' : ` from ${publisher}`}${login}.`
}
