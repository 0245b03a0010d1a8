import type { ImageRole, StackData } from '@flotilla/contract/stacks/entity'

/** As in provider.ts, which knows this file. */
type CredentialData = Record<string, string>
type ImagePlan = { name: string; product: string; publisher: string }
type MarketplaceImage = { publisher: string; offer: string; sku: string; version: string }

/** One image that is to be built. */
export interface ImageBuild {
  role: ImageRole
  /** Of the image: nothing else has it. */
  name: string
  description: string
  data: StackData
  /** On what exists only while it is built: it is found again by these, as a cluster's things are. */
  buildTags: Record<string, string>
  imageTags: Record<string, string>
  /** The marketplace plan that the cloud reported for its source; undefined where it did not say. */
  plan?: ImagePlan | null
  /** The public half of the key that Packer logs in with. */
  sshPublicKey: string
}

/** Makes a variable of a value, and answers what stands for it in the template. */
export type MakeVariable = (name: string, value: string | number | boolean) => string

/** The way of a cloud to build an image with Packer. */
export interface ImageBuilder {
  /** A builder in Packer's JSON. Everything that a user typed is in it by `variable` only. */
  builder(build: ImageBuild, variable: MakeVariable): Record<string, unknown>
  /** Variables that Packer takes from its environment, by the names they have there. */
  secrets: Record<string, string>
  /** How Packer logs in to the cloud: the environment of its process. */
  environment(credential: CredentialData): Record<string, string>
  /** What Packer takes only as a file. */
  files?(credential: CredentialData): { path: string; data: string }[]
  /** What Packer says it made, as clusters name it. */
  imageIn(artifact: string, data: StackData): { id: string; region: string }
  /** The account that the public image of a system has. */
  username(osType: string): string
  /** A description of a system's public image, and who publishes it. */
  publicImage(osType: string): { image: string; publisher: string } | null
  /** The image of the cloud's marketplace that a build starts from, where those have plans and terms. */
  marketplaceImage?(data: StackData): MarketplaceImage | null
  /** Why this version of Packer cannot do it. */
  tooOld?(data: StackData, version: string): string | null
}

/** The template's reference to a variable. */
export const user = (name: string) => `{{user \`${name}\`}}`

/** The arguments that have a value. */
export const given = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== '' && value !== 0 && value !== undefined),
  )

/** Tags with values that users have typed in them. */
export const tagsWith = (variable: MakeVariable, kind: string, tags: Record<string, string>) =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, variable(`${kind}_${key}`, value)]))

/** The account of a system's public image where the cloud leaves that to the image. */
export const defaultAccounts: Record<string, string> = {
  'centos-7': 'centos',
  'rocky-8': 'rocky',
  'rocky-9': 'rocky',
  'ubuntu-22.04': 'ubuntu',
  'ubuntu-24.04': 'ubuntu',
}

/** For cloud-init: Packer's own temporary keys are of a kind that newer systems do not let in. */
export const keyUserData = (publicKey: string) =>
  `#cloud-config\n${JSON.stringify({ ssh_authorized_keys: [publicKey] })}\n`
