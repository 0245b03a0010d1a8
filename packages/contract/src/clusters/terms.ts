import * as z from 'zod/mini'

/** Terms of a marketplace image that the cloud account has not accepted, as far as is known. */
export const ImageTerms = z.object({
  /** publisher:offer:plan */
  name: z.string(),
  /** Null if the credential may not read this. */
  accepted: z.nullable(z.boolean()),
  /** The address of the terms; empty if the cloud does not give one. */
  link: z.string(),
  /** A command that accepts them outside this console. */
  command: z.string(),
})
export type ImageTerms = z.infer<typeof ImageTerms>

export const termsText = ({ name, command }: ImageTerms, where = 'with the plan'): string =>
  `The terms of the image ${name} have not been accepted. Accept them ${where}, or run: ${command}`
