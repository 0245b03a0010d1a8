import type { ImageRole, StackData } from '@flotilla/contract/stacks/entity'

/** The same types as in provider.ts, which imports this file. */
type CredentialData = Record<string, string>
type ImagePlan = { name: string; product: string; publisher: string }
type MarketplaceImage = { publisher: string; offer: string; sku: string; version: string }

/** An image to be built. */
export interface ImageBuild {
  role: ImageRole
  /** The image's unique name. */
  name: string
  description: string
  data: StackData
  /**
   * The tags of everything that exists only during the build, by which it is found again, like a cluster's resources.
   */
  buildTags: Record<string, string>
  imageTags: Record<string, string>
  /** The marketplace plan that the cloud reported for its source; undefined if it reported none. */
  plan?: ImagePlan | null
  /** The public key that Packer logs in with. */
  sshPublicKey: string
}

/** Adds a template variable with a value, and returns the reference to it. */
export type MakeVariable = (name: string, value: string | number | boolean) => string

/** How a cloud builds an image with Packer. */
export interface ImageBuilder {
  /** A builder in Packer's JSON syntax. All user input is passed through `variable`. */
  builder(build: ImageBuild, variable: MakeVariable): Record<string, unknown>
  /** Variables that Packer reads from its environment: the names of the environment variables by name. */
  secrets: Record<string, string>
  /** Packer's cloud credentials: the environment of its process. */
  environment(credential: CredentialData): Record<string, string>
  /** Files for values that Packer only accepts as files. */
  files?(credential: CredentialData): { path: string; data: string }[]
  /** Parses the artifact that Packer reports into the id that clusters use. */
  imageIn(artifact: string, data: StackData): { id: string; region: string }
  /** The login account of a system's public image. */
  username(osType: string): string
  /** A description of a system's public image, and its publisher. */
  publicImage(osType: string): { image: string; publisher: string } | null
  /** The marketplace image that a build starts from, on clouds whose images have plans and terms. */
  marketplaceImage?(data: StackData): MarketplaceImage | null
  /** Why this version of Packer is too old for these settings, or null. */
  tooOld?(data: StackData, version: string): string | null
}

/** The template's reference to a variable. */
export const user = (name: string) => `{{user \`${name}\`}}`

/** The arguments that are set. */
export const given = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== '' && value !== 0 && value !== undefined),
  )

/** Tags whose values users entered, which are passed as variables. */
export const tagsWith = (variable: MakeVariable, kind: string, tags: Record<string, string>) =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, variable(`${kind}_${key}`, value)]))

/** The login account of a system's public image, on clouds that do not set it. */
export const defaultAccounts: Record<string, string> = {
  'centos-7': 'centos',
  'rocky-8': 'rocky',
  'rocky-9': 'rocky',
  'ubuntu-22.04': 'ubuntu',
  'ubuntu-24.04': 'ubuntu',
}

/** User data with the key, because Packer's own temporary keys are of a type that newer systems reject. */
export const keyUserData = (publicKey: string) =>
  `#cloud-config\n${JSON.stringify({ ssh_authorized_keys: [publicKey] })}\n`
