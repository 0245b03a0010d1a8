import type { AcmImage } from '@flotilla/contract/clouds/acm'
import type { Reply } from '@flotilla/contract/endpoint'
import type { stacks } from '@flotilla/contract/stacks/stacks'
import type { Option } from '../../forms/fields/fields'

export type ImagesInfo = Reply<typeof stacks.imagesInfo>
export interface ImageGroup {
  label: string
  options: readonly Option[]
}

const roles = { node: 'nodes', server: 'head nodes' } as const

/** Images built by stacks, limited to the region; an image without a region is available everywhere. */
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

/** A MAAS image for several architectures is one option. */
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

/** The image a build starts from when none is chosen, as a hint for the operating system field. */
export function publicImageText(info: ImagesInfo | undefined, osType: string): string | undefined {
  const found = info?.publicImages.find((one) => one.osType === osType)
  if (!found || found.image === '') return undefined
  const { image, username } = found
  // AWS identifies image publishers only by account.
  const publisher = /^\d+$/.test(found.publisher) ? `account ${found.publisher}` : found.publisher
  const login = username === '' ? '' : `; its login account is ${username}`
  return `Uses the public image ${image}${publisher === '' ? '' : ` from ${publisher}`}${login}.`
}
