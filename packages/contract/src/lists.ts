import * as z from 'zod/mini'
import { PAGE_SIZE, PAGE_SIZE_MAX } from './limits'

/** Every list takes these; the next page's cursor is in the header `x-next-cursor`. */
export const Page = z.object({
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(PAGE_SIZE_MAX)), PAGE_SIZE),
  cursor: z.optional(z.string().check(z.maxLength(200))),
})
export type Page = z.infer<typeof Page>

export const Id = z.string().check(z.minLength(1), z.maxLength(64))
/** Milliseconds since 1970. */
export const Time = z.number().check(z.int(), z.minimum(0), z.maximum(8.64e15))
export const Done = z.object({ message: z.string() })
export const Removed = z.object({ id: Id })
