import * as z from 'zod/mini'

/** Terms of an image of the cloud's marketplace that its account has not accepted, as far as is known. */
export const ImageTerms = z.object({
  /** publisher:offer:plan */
  name: z.string(),
  /** Null if the credential may not see whether they are. */
  accepted: z.nullable(z.boolean()),
  /** Where they can be read; empty if the cloud does not say. */
  link: z.string(),
  /** What accepts them without this console. */
  command: z.string(),
})
export type ImageTerms = z.infer<typeof ImageTerms>

export const termsText = ({ name, command }: ImageTerms, where = 'with the plan'): string =>
  `The terms of the image ${name} have not been accepted. Accept them ${where}, or run: ${command}`
